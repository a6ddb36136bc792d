# Shared by run.sh, test.sh and postgres.sh; sourced, never run. Needs bash 4.4 or later.
# shellcheck shell=bash disable=SC2034

project_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"

build_packages=(build-essential cmake ninja-build ccache mold pkg-config
    qt6-base-dev libqt6sql6-psql libqt6sql6-sqlite nlohmann-json3-dev libcli11-dev libtomlplusplus-dev
    libkainjow-mustache-dev libssl-dev libcurl4-openssl-dev libphonenumber-dev libidn2-dev)
# Charts asks for the OpenGL headers when CMake looks for it; the SVG plugin, Qt's own translations and a font come
# with no other package. The C libraries under Qt's screen plugin follow from qt6-base-dev.
console_packages=(qt6-charts-dev libqt6opengl6-dev libgl-dev qt6-svg-dev libqt6svg6 qt6-tools-dev qt6-tools-dev-tools
    qt6-l10n-tools qt6-translations-l10n qtkeychain-qt6-dev fontconfig fonts-dejavu-core)
demo_packages=(sqlite3 curl python3)
test_packages=(postgresql sqlite3 openssl nghttp2-server libnghttp2-dev faketime pgbouncer xvfb xauth binutils curl
    python3 postfix libsqlite3-dev)

say() { printf '== %s\n' "$*"; }
fail() {
    printf '!! %s\n' "$*" >&2
    exit 1
}

# Runs a command with the rights of root: as it is for root, else through sudo.
as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "needs root for: $* (run it as root, or install sudo)"
    fi
}

# Installs those of the named Debian packages that are missing; asks for root only then.
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "not a Debian system: taking what is installed (needed: $*)"
        return
    fi
    local installed missing=() name
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for name in "$@"; do
        grep -qxF "$name installed" <<<"$installed" || missing+=("$name")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    say "installing ${#missing[@]} Debian packages: ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    as_root "${apt[@]}" update || fail "apt-get update failed; look at the network and /etc/apt/sources.list"
    as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install: ${missing[*]} (the packages are those of Debian 12)"
}

# configure PRESET FOLDER [-DNAME=VALUE…]; says the whole output only when it fails.
configure() {
    local preset=$1 folder=$2 output
    shift 2
    mkdir -p "$folder"
    [[ -w $folder ]] || fail "$folder is not writable; remove it, or name another build folder"
    say "configuring $folder (preset $preset)"
    output=$(cd "$project_root" && cmake --preset "$preset" -B "$folder" "$@" 2>&1) || {
        printf '%s\n' "$output" >&2
        fail "CMake could not configure $folder"
    }
}

# build FOLDER [TARGET…]: with as many jobs as there are processors.
build() {
    local folder=$1
    shift
    say "building ${*:-everything} in $folder"
    NINJA_STATUS='[%f/%t] ' cmake --build "$folder" --parallel "$(nproc)" ${1:+--target "$@"}
}

# A loopback port that is free now. Whoever asks should start its server soon.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_for SECONDS COMMAND…: until the command succeeds; its output is dropped.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        sleep 0.2
    done
}
