#!/usr/bin/env bash
# Compares signatures of `subledger sign` with those of Apple's own library, claim by claim. The
# library stays in the directory given as the first argument; further arguments go to compare.py.
# Exits with 1 for a difference; where there is no PyPI, with 0 after a line that says SKIPPED, or
# with 1 where CI is set.

set -euo pipefail

HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkdir -p "$1"
TOOLS="$(realpath "$1")/tools"

skip() {
    echo "SKIPPED: $* No signature was compared with Apple's library."
    if [ "${CI:-}" ]; then exit 1; else exit 0; fi
}

if ! cmp -s "$HERE/requirements.txt" "$TOOLS/requirements.txt"; then
    rm -rf "$TOOLS"
    python3 -m venv "$TOOLS" >/dev/null 2>&1 ||
        skip "Python 3 cannot create a virtual environment (apt-get install python3-venv)."
    "$TOOLS/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 \
        -r "$HERE/requirements.txt" >/dev/null 2>&1 ||
        skip "PyPI did not deliver the packages in $HERE/requirements.txt."
    cp "$HERE/requirements.txt" "$TOOLS/requirements.txt"
fi
exec "$TOOLS/bin/python" -B "$HERE/compare.py" "${@:2}"
