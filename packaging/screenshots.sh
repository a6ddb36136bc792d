#!/usr/bin/env bash
# Renders every page and dialog of the console with an example set: light and dark, English and German, at 1x and 1.5x.
#   packaging/screenshots.sh [--build-dir DIR] FOLDER
# Needs no display; builds the test program tst_screenshots first.
set -euo pipefail
# shellcheck source=packaging/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build_dir="$project_root/build/dev"
folder=''
while [[ $# -gt 0 ]]; do
    case $1 in
    --build-dir)
        [[ -n ${2:-} ]] || fail "--build-dir needs a folder"
        build_dir=$(realpath -m "$2")
        shift
        ;;
    -h | --help)
        sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    -*) fail "unknown argument $1; known: --build-dir DIR" ;;
    *) folder=$(realpath -m "$1") ;;
    esac
    shift
done
[[ -n $folder ]] || fail "name the folder for the pictures: packaging/screenshots.sh FOLDER"

if [[ ! -f $build_dir/CMakeCache.txt ]]; then
    install_packages "${build_packages[@]}" "${console_packages[@]}"
    configure dev "$build_dir" -DSENDOFF_TESTS=ON -DSENDOFF_CONSOLE=ON
fi
build "$build_dir" tst_screenshots
program=$(find "$build_dir" -name tst_screenshots -type f -perm -u+x -print -quit)
[[ -n $program ]] || fail "tst_screenshots was not built in $build_dir"
mkdir -p "$folder"
for scale in 1 1.5; do
    say "rendering at ${scale}x into $folder"
    QT_QPA_PLATFORM=offscreen QT_NO_GLIB=1 QT_SCALE_FACTOR=$scale SENDOFF_SCREENSHOTS=$folder "$program" -silent ||
        fail "a picture could not be made, or text is cut off in it; see above"
done
say "$(find "$folder" -name '*.png' | wc -l) pictures in $folder"
