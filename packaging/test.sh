#!/usr/bin/env bash
# Builds as CI does (warnings are errors) and runs all tests against SQLite and a PostgreSQL of its own.
#   packaging/test.sh [arguments for ctest, such as -R relay or -L unit]
# SENDOFF_ASAN=1 adds the unit and contract tests under the address and undefined-behaviour sanitizers.
set -euo pipefail
# shellcheck source=packaging/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in -h | --help)
    sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac

export LC_ALL=C.UTF-8 QT_QPA_PLATFORM=offscreen
install_packages "${build_packages[@]}" "${console_packages[@]}" "${test_packages[@]}"

folder="$project_root/build/ci"
configure ci "$folder"
build "$folder"

# /tmp and not $TMPDIR: the path of a Unix socket is short, and the user postgres must reach it.
scratch=$(mktemp -d /tmp/sendoff-test.XXXXXX)
chmod 755 "$scratch"
# shellcheck disable=SC2317 # called by the trap
finish() {
    bash "$project_root/packaging/postgres.sh" stop "$scratch/postgres" || true
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say "starting a throw-away PostgreSQL"
environment=$(bash "$project_root/packaging/postgres.sh" start "$scratch/postgres")
eval "$environment"

# run_tests FOLDER ctest-arguments…
run_tests() {
    # One more than there are processors: many tests wait for a server, a process or a lease more than they compute.
    ctest --test-dir "$1" --output-on-failure -j3 --no-tests=error "${@:2}"
}

result=0
if [[ $# -eq 0 ]]; then
    # Benchmarks take long and prove nothing on a shared machine; their smoke run shows that they still work.
    if ctest --test-dir "$folder" -N -L '^bench$' -R smoke | grep -q 'Test *#'; then
        say "running the benchmarks' smoke run"
        run_tests "$folder" -L '^bench$' -R smoke || result=$?
    fi
    if [[ ${SENDOFF_ASAN:-0} == 1 ]]; then
        configure asan "$project_root/build/asan"
        build "$project_root/build/asan"
        say "running unit and contract tests under sanitizers"
        UBSAN_OPTIONS=print_stacktrace=1 run_tests "$project_root/build/asan" -L '^(unit|contract)$' || result=$?
    fi
    set -- -LE '^bench$'
fi
say "running the tests"
rm -f "$folder/Testing/Temporary/LastTestsFailed.log"
run_tests "$folder" "$@" || result=$?

if [[ -s $folder/Testing/Temporary/LastTestsFailed.log ]]; then
    say "failed: $(cut -d: -f2 "$folder/Testing/Temporary/LastTestsFailed.log" | paste -sd ' ')"
elif [[ $result -ne 0 ]]; then
    say "failed before the last stage or without a failing test; see above (exit code $result)"
fi
exit "$result"
