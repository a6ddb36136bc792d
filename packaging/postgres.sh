#!/usr/bin/env bash
# A throw-away PostgreSQL of your own for tests: a fresh cluster, a free loopback port, fsync on. It trusts everyone who
# reaches that port: not for a machine shared with strangers.
#   eval "$(packaging/postgres.sh start [DIR])"    sets SENDOFF_TEST_PG and its companions
#   packaging/postgres.sh restart [DIR] [fast|immediate]
#   packaging/postgres.sh stop [DIR]               stops the server and deletes DIR
# DIR is /tmp/sendoff-postgres-UID unless named. As root the server runs as the user postgres.
set -euo pipefail
# shellcheck source=packaging/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
    sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

bin_folder() {
    local newest
    newest=$(find /usr/lib/postgresql -mindepth 3 -maxdepth 3 -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)
    [[ -n $newest ]] || newest=$(command -v initdb || true)
    [[ -n $newest ]] || fail "PostgreSQL's server programs were not found; install the package postgresql"
    dirname "$newest"
}

# PostgreSQL refuses to run as root; from / because the other user may not read the current folder.
as_server() {
    if [[ $(id -u) -eq 0 ]]; then
        (cd / && runuser -u postgres -- "$@")
    else
        (cd / && "$@")
    fi
}

print_environment() {
    local port
    port=$(<"$dir/port")
    printf 'export %s\n' \
        "SENDOFF_TEST_PG=postgresql://postgres@127.0.0.1:$port/postgres" \
        "SENDOFF_TEST_PGDIR='$dir'" "SENDOFF_TEST_PGDATA='$dir/data'" "SENDOFF_TEST_PGBIN='$bin'" \
        "PATH='$bin':\"\$PATH\":/usr/sbin"
}

start() {
    if [[ -f $dir/.sendoff-postgres ]] && as_server "$bin/pg_ctl" -D "$dir/data" status >/dev/null 2>&1; then
        print_environment
        return
    fi
    remove
    mkdir -p "$(dirname "$dir")"
    mkdir -m 700 "$dir" || fail "$dir could not be made"
    touch "$dir/.sendoff-postgres"
    mkdir "$dir/socket"
    [[ $(id -u) -ne 0 ]] || chown -R postgres: "$dir"
    as_server "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
    local try port
    for try in 1 2 3; do
        port=$(free_port)
        as_server tee "$dir/data/postgresql.auto.conf" >/dev/null <<SETTINGS
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$dir/socket'
max_connections = 300
fsync = on
synchronous_commit = on
SETTINGS
        if as_server "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 60 start >/dev/null; then
            as_server tee "$dir/port" >/dev/null <<<"$port"
            print_environment
            return
        fi
        [[ $try -lt 3 ]] && printf 'PostgreSQL did not start on port %s, trying another\n' "$port" >&2
    done
    tail -n 20 "$dir/log" >&2
    fail "PostgreSQL did not start; its log is $dir/log"
}

# Only ever deletes a folder that start made.
remove() {
    [[ -e $dir ]] || return 0
    if [[ -d $dir && -z $(ls -A "$dir") ]]; then
        rmdir "$dir"
        return
    fi
    [[ -f $dir/.sendoff-postgres ]] || fail "$dir was not made by this script; it stays"
    as_server "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf "$dir"
}

[[ $# -ge 1 && $# -le 3 ]] || usage
dir=$(realpath -m "${2:-/tmp/sendoff-postgres-$(id -u)}")
bin=$(bin_folder)
case $1 in
start) start ;;
restart) as_server "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -m "${3:-fast}" -w -t 60 restart >/dev/null ;;
stop) remove ;;
*) usage ;;
esac
