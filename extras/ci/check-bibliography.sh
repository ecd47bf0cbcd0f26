#!/bin/sh
# One step of a hosted check: writes a SARIF report of the bibliographies named, and fails where one has findings.
#
#   extras/ci/check-bibliography.sh REPORTS refs.bib paper/refs.bib
#
# The library (LITTERM_HOME) is what the check knows: fill it once with `litterm sync acl`, and let the host cache it.
set -u
[ "$#" -ge 2 ] || { echo "usage: $0 REPORTS FILE..." >&2; exit 2; }
folder=$1
shift
mkdir -p "$folder" || exit 1
status=0
number=0
for file in "$@"; do
    number=$((number + 1))
    litterm --offline check --format sarif -o "$folder/$number.sarif" --force "$file"
    found=$?
    if [ "$found" -ne 0 ]; then
        # Of a broken file there is no report; the sentence on standard error names its line.
        status=$found
        [ "$found" -ne 6 ] || litterm --offline check --format quickfix "$file"
    fi
done
exit "$status"
