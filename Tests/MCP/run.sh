#!/usr/bin/env bash
# Asks simulated data over the Model Context Protocol with the client from PyPI: `BINARY mcp` on
# standard input, and `BINARY serve` on loopback. Tools stay in the directory given as the only
# argument (.build/mcp). Exits with 1 after a failed check; where there is no PyPI, with 0 after a
# line that says SKIPPED, or with 1 where CI is set.

set -euo pipefail

: "${BINARY:?Set BINARY to the subledger to try, or use make test-mcp.}"
BINARY=$(realpath "$BINARY")
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkdir -p "${1:-.build/mcp}"
KEPT=$(realpath "${1:-.build/mcp}")
SCRATCH=$(mktemp -d)
SERVER=""

finish() {
    if [ "$SERVER" ]; then kill "$SERVER" 2>/dev/null || true; fi
    wait 2>/dev/null || true
    rm -rf "$SCRATCH"
}
trap finish EXIT

fail() {
    echo "error: $*"
    exit 1
}

skip() {
    echo "SKIPPED: $* No client asked over the Model Context Protocol."
    if [ "${CI:-}" ]; then exit 1; else exit 0; fi
}

# --- Tools ---

TOOLS="$KEPT/tools"
if ! cmp -s "$HERE/requirements.txt" "$TOOLS/requirements.txt"; then
    rm -rf "$TOOLS"
    python3 -m venv "$TOOLS" >"$KEPT/tools.log" 2>&1 ||
        skip "Python 3 cannot create a virtual environment (apt-get install python3-venv)."
    "$TOOLS/bin/pip" install --quiet --disable-pip-version-check -r "$HERE/requirements.txt" \
        >>"$KEPT/tools.log" 2>&1 ||
        skip "PyPI did not deliver the packages in $HERE/requirements.txt."
    cp "$HERE/requirements.txt" "$TOOLS/requirements.txt"
fi

# --- A service with data ---

cd "$SCRATCH"
TOKEN=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
cat >subledger.yaml <<YAML
dataDirectory: ./data
apps: [ { bundleId: com.example.app, appAppleId: 1234567890 } ]
trustedRoots: [ ./root.der ]
server:
  port: 0
  tokens:
    - { name: assistant, sha256: $(printf %s "$TOKEN" | sha256sum | cut -d ' ' -f 1), scopes: [read] }
YAML
"$BINARY" simulate history --chains 8 --root root.der --config subledger.yaml \
    >history.ndjson 2>simulate.err || fail "simulate: $(tail -n 1 simulate.err)"
"$BINARY" ingest history.ndjson --config subledger.yaml --json >ingest.json 2>ingest.err ||
    fail "ingest: $(tail -n 1 ingest.err)"
CHAIN=$("$BINARY" export subscriptions --config subledger.yaml --at 2026-01-01 |
    grep -o '"originalTransactionId":"[^"]*"' | head -n 1 | cut -d '"' -f 4 || true)
[ "$CHAIN" ] || fail "the simulated history has no subscription on 2026-01-01."

"$BINARY" serve --config subledger.yaml --json >serve.json 2>"$KEPT/serve.log" &
SERVER=$!
PORT=""
for _ in $(seq 300); do
    PORT=$(grep -o '"port":[0-9]*' serve.json | cut -d : -f 2 || true)
    if [ "$PORT" ]; then break; fi
    kill -0 "$SERVER" 2>/dev/null || fail "the service ended: $(tail -n 1 "$KEPT/serve.log")"
    sleep 0.2
done
[ "$PORT" ] || fail "the service does not listen; its log is $KEPT/serve.log"

# --- The client ---

"$TOOLS/bin/python" -B "$HERE/client_test.py" --binary "$BINARY" \
    --config "$SCRATCH/subledger.yaml" --url "http://127.0.0.1:$PORT/mcp" --token "$TOKEN" \
    --chain "$CHAIN" || fail "a check of the client failed; its name is above."
