#!/usr/bin/env bash
# Builds Sendoff and shows one booking on its way: committed, sent through an outage of the email provider, arrived.
#   packaging/run.sh [--headless] [--build-dir DIR]
# With a display the console opens on the demo at the end; --headless (or no display) ends after the event's timeline.
# Everything lies in ~/.local/share/sendoff-demo (or $SENDOFF_DEMO_DIR), which is made anew each time.
set -euo pipefail
# shellcheck source=packaging/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

headless=no
folder="$project_root/build/release"
while [[ $# -gt 0 ]]; do
    case $1 in
    --headless) headless=yes ;;
    --build-dir)
        [[ -n ${2:-} ]] || fail "--build-dir needs a folder"
        folder=$(realpath -m "$2")
        shift
        ;;
    -h | --help)
        sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) fail "unknown argument $1; known: --headless, --build-dir DIR" ;;
    esac
    shift
done
if [[ -z ${DISPLAY:-} && -z ${WAYLAND_DISPLAY:-} ]]; then
    headless=yes
fi
demo=$(realpath -m "${SENDOFF_DEMO_DIR:-${XDG_DATA_HOME:-${HOME:-/tmp}/.local/share}/sendoff-demo}")
database="$demo/sendoff.db"
daemon="$folder/app/sendoffd"
engine_pid='' sandbox_pid=''

build_programs() {
    if [[ $headless == yes ]]; then
        install_packages "${build_packages[@]}" "${demo_packages[@]}"
        configure release "$folder" -DSENDOFF_TESTS=OFF -DSENDOFF_CONSOLE=OFF
        build "$folder" sendoffd
    else
        install_packages "${build_packages[@]}" "${console_packages[@]}" "${demo_packages[@]}"
        configure release "$folder" -DSENDOFF_TESTS=OFF -DSENDOFF_CONSOLE=ON
        build "$folder" sendoffd sendoff
    fi
}

# Only ever deletes a folder that an earlier run made.
make_scratch() {
    if [[ -e $demo && ! -f $demo/.sendoff-demo && -n $(ls -A "$demo") ]]; then
        fail "$demo holds files that are not the demo's; set SENDOFF_DEMO_DIR to another folder"
    fi
    rm -rf "$demo"
    mkdir -p "$demo"
    touch "$demo/.sendoff-demo"
    cp "$project_root/resources/parking/catalogue.toml" "$demo/catalogue.toml"
    cp -r "$project_root/resources/parking/templates" "$demo/templates"
    cp "$project_root/packaging/demo/outage.json" "$demo/"
    port=$(free_port)
    cat >"$demo/sendoff.toml" <<SETTINGS
[store]
url = "sqlite:$database"
[engine]
name = "demo"
[catalogue]
path = "$demo/catalogue.toml"
templates = "$demo/templates"
[retry]
base = "2s"
[providers.resend]
kind = "resend"
channel = "email"
from = "Parking <no-reply@example.com>"
base_url = "http://127.0.0.1:$port"
api_key = { env = "SENDOFF_DEMO_KEY" }
[providers.expo]
kind = "expo"
channel = "push"
base_url = "http://127.0.0.1:$port"
api_key = { env = "SENDOFF_DEMO_KEY" }
SETTINGS
}

sendoffd() { "$daemon" --config "$demo/sendoff.toml" "$@" 2>>"$demo/commands.log"; }

# Runs a command that must succeed; says what it wrote to stderr when it does not.
must() {
    "$@" || {
        local code=$?
        tail -n 20 "$demo/commands.log" >&2
        fail "failed with exit code $code: $*"
    }
}

messages() { curl --noproxy '*' -fsS "http://127.0.0.1:$port/sandbox/messages"; }

stop_engine() {
    [[ -n $engine_pid ]] || return 0
    local pid=$engine_pid code=0
    engine_pid=''
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" || code=$?
    [[ $code -eq 0 ]] || fail "the engine ended with exit code $code; its log is $demo/engine.log"
}

# shellcheck disable=SC2317 # called by the trap
finish() {
    local pid
    for pid in $engine_pid $sandbox_pid; do
        kill -TERM "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
}

start_services() {
    say "starting the stand-in for the providers on 127.0.0.1:$port; its email side fails at first"
    "$daemon" sandbox --listen "127.0.0.1:$port" --script "$demo/outage.json" >"$demo/sandbox.log" 2>&1 &
    sandbox_pid=$!
    wait_for 20 messages || {
        tail -n 20 "$demo/sandbox.log" >&2
        fail "the stand-in did not start; its log is $demo/sandbox.log"
    }
    say "starting an engine"
    "$daemon" --config "$demo/sendoff.toml" run >"$demo/engine.log" 2>&1 &
    engine_pid=$!
}

# Says the deliveries each time something changed, until all arrived.
watch_deliveries() {
    local end=$((SECONDS + 120)) begun=$SECONDS seen='' now code
    while ((SECONDS < end)); do
        code=0
        now=$(sendoffd list --json | python3 "$project_root/packaging/demo/show.py" deliveries) || code=$?
        if [[ -n $now && $now != "$seen" ]]; then
            printf -- '-- after %d s\n%s\n' "$((SECONDS - begun))" "$now"
            seen=$now
        fi
        [[ $code -ne 0 ]] || return 0
        [[ $code -ne 2 ]] || fail "a message ended without arriving; the engine's log is $demo/engine.log"
        kill -0 "$engine_pid" 2>/dev/null || {
            tail -n 20 "$demo/engine.log" >&2
            fail "the engine ended by itself; its log is $demo/engine.log"
        }
        sleep 0.4
    done
    tail -n 5 "$demo/commands.log" >&2
    fail "not everything arrived within two minutes; the engine's log is $demo/engine.log"
}

build_programs
export SENDOFF_DEMO_KEY=re_demo_only
say "making the demo in $demo"
make_scratch
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

must sendoffd migrate
must sendoffd publish --note "demo"
must sqlite3 -bail -cmd '.timeout 10000' "$database" <"$project_root/packaging/demo/people.sql"
start_services

say "the application commits booking 981 and its event in one transaction (packaging/demo/booking.sql)"
event=$(must sqlite3 -bail -cmd '.timeout 10000' "$database" <"$project_root/packaging/demo/booking.sql")
say "event $event"
watch_deliveries

say "what arrived at the providers"
messages | python3 "$project_root/packaging/demo/show.py" messages
say "what the driver sees in the app"
must sendoffd inbox u-1017
say "the event's timeline (sendoffd show event $event)"
must sendoffd show event "$event"

if [[ $headless == no ]]; then
    say "opening the console on the demo; close it to end"
    "$folder/app/sendoff" --connect "sqlite:$database" || fail "the console ended with an error"
fi
stop_engine
say "done; look again: $daemon --config $demo/sendoff.toml list"
