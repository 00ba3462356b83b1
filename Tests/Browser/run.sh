#!/usr/bin/env bash
# Serves the demo of BINARY on loopback, of CHAINS lives (300), and walks its console with a real
# browser. Tools from PyPI stay in the directory given as the first argument (.build/browser);
# further arguments go to console_test.py, such as --pages N and --pictures DIR. Exits with 1 after
# a failed check; where no Chromium starts or there is no PyPI, with 0 after a line that says
# SKIPPED, or with 1 where CI is set.

set -euo pipefail

: "${BINARY:?Set BINARY to the subledger to try, or use make test-browser.}"
BINARY=$(realpath "$BINARY")
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkdir -p "${1:-.build/browser}"
KEPT=$(realpath "${1:-.build/browser}")
SCRATCH=$(mktemp -d)
DEMO=""

finish() {
    if [ "$DEMO" ]; then kill "$DEMO" 2>/dev/null || true; fi
    wait 2>/dev/null || true
    rm -rf "$SCRATCH"
}
trap finish EXIT

fail() {
    echo "error: $*"
    exit 1
}

skip() {
    echo "SKIPPED: $* No page of the console was tried."
    if [ "${CI:-}" ]; then exit 1; else exit 0; fi
}

# --- Tools ---

BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ "$BROWSER" ] || skip "there is no chromium on PATH (apt-get install chromium fonts-dejavu-core)."
timeout 60 "$BROWSER" --headless --no-sandbox --user-data-dir="$SCRATCH/browser" \
    --dump-dom about:blank >"$KEPT/browser.log" 2>&1 ||
    skip "$BROWSER does not start: $KEPT/browser.log."
TOOLS="$KEPT/tools"
if ! cmp -s "$HERE/requirements.txt" "$TOOLS/requirements.txt"; then
    rm -rf "$TOOLS"
    python3 -m venv "$TOOLS" >"$KEPT/tools.log" 2>&1 ||
        skip "Python 3 cannot create a virtual environment (apt-get install python3-venv)."
    "$TOOLS/bin/pip" install --quiet --disable-pip-version-check --retries 1 \
        -r "$HERE/requirements.txt" >>"$KEPT/tools.log" 2>&1 ||
        skip "PyPI did not deliver the packages in $HERE/requirements.txt."
    cp "$HERE/requirements.txt" "$TOOLS/requirements.txt"
fi

# --- The verifier without a browser ---

if ! command -v node >/dev/null ||
    ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
    echo "SKIPPED: there is no node 20 or later on PATH for verify.test.mjs."
else
    node --test "$HERE" >"$KEPT/verify.log" 2>&1 || fail "verify.test.mjs failed: $KEPT/verify.log"
    echo "ok  verify.test.mjs"
fi

# --- The demo ---

"$BINARY" demo --data "$SCRATCH/demo" --port 0 --chains "${CHAINS:-300}" >"$KEPT/demo.log" 2>&1 &
DEMO=$!
LINKS=""
for _ in $(seq 600); do
    # Complete lines only: the last one may still be being written.
    LINKS=$(grep -oE 'http://[^ ]+/console[^ ]*$' "$KEPT/demo.log" || true)
    if [ "$LINKS" ]; then break; fi
    kill -0 "$DEMO" 2>/dev/null || fail "the demo ended: $(tail -n 1 "$KEPT/demo.log")"
    sleep 0.2
done
[ "$LINKS" ] || fail "the demo named no page of the console in two minutes: $KEPT/demo.log"
sleep 0.5
mapfile -t LINKS < <(grep -oE 'http://[^ ]+/console[^ ]*' "$KEPT/demo.log")

# --- The pages ---

FOUND=0
"$TOOLS/bin/python" -B "$HERE/console_test.py" --browser "$BROWSER" "${@:2}" "${LINKS[@]}" || FOUND=1
kill -0 "$DEMO" 2>/dev/null || fail "the demo ended: $(tail -n 1 "$KEPT/demo.log")"
[ "$FOUND" = 0 ] || fail "a check of the console failed; its name is above."
