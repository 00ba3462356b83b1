#!/usr/bin/env bash
# Serves simulated data with BINARY on loopback, and fuzzes everything that openapi.yaml describes
# with schemathesis for FUZZ_HTTP_SECONDS (default 300). Tools from PyPI and findings stay in the
# directory given as the only argument. Exits with 1 after a finding.

set -euo pipefail

: "${BINARY:?Set BINARY to the subledger to try, or use make fuzz-http.}"
: "${1:?Name a directory for the tools and the report.}"
BINARY=$(realpath "$BINARY")
HERE=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkdir -p "$1"
KEPT=$(realpath "$1")
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

# --- Tools ---

TOOLS="$KEPT/tools"
if ! cmp -s "$HERE/requirements.txt" "$TOOLS/requirements.txt"; then
    rm -rf "$TOOLS"
    python3 -m venv "$TOOLS" || fail "Python 3 cannot create a virtual environment; install python3-venv."
    "$TOOLS/bin/pip" install --quiet --disable-pip-version-check -r "$HERE/requirements.txt" ||
        fail "PyPI did not deliver the packages in $HERE/requirements.txt; check the network, or pip's mirror."
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
    - name: fuzz
      sha256: $(printf %s "$TOKEN" | sha256sum | cut -d ' ' -f 1)
      scopes: [read, write, sign, admin]
YAML
"$BINARY" simulate history --chains 40 --root root.der --config subledger.yaml \
    >history.ndjson 2>simulate.err || fail "simulate: $(tail -n 1 simulate.err)"
"$BINARY" ingest history.ndjson --config subledger.yaml --json >ingest.json 2>ingest.err ||
    fail "ingest: $(tail -n 1 ingest.err)"
"$BINARY" export subscriptions --config subledger.yaml >subscriptions.ndjson
# A dictionary has one quoted string per line.
grep -o '"originalTransactionId":"[^"]*"' subscriptions.ndjson | cut -d : -f 2 >chains.txt
grep -o '"appAccountToken":"[^"]*"' subscriptions.ndjson | cut -d : -f 2 >customers.txt
echo '"user-42"' >>customers.txt

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

# --- Fuzzing ---

cp "$HERE/schemathesis.toml" "$HERE/hooks.py" .
FOUND=0
"$TOOLS/bin/schemathesis" --config-file schemathesis.toml --no-color run \
    "http://127.0.0.1:$PORT/openapi.yaml" --checks all --max-time "${FUZZ_HTTP_SECONDS:-300}" \
    --header "Authorization: Bearer $TOKEN" --generation-database none \
    "${@:2}" 2>&1 | tee "$KEPT/report.txt" || FOUND=1

# --- The service is still sound ---

kill -0 "$SERVER" 2>/dev/null || fail "the service ended; its log is $KEPT/serve.log"
kill "$SERVER"
CODE=0
wait "$SERVER" || CODE=$?
SERVER=""
[ "$CODE" = 0 ] || fail "the service ended with $CODE instead of 0; its log is $KEPT/serve.log"
! grep -q "failed unexpectedly" "$KEPT/serve.log" ||
    fail "a request failed unexpectedly; the log is $KEPT/serve.log"
"$BINARY" audit verify --config subledger.yaml >audit.txt || fail "the log is not sound: $(cat audit.txt)"
[ "$FOUND" = 0 ] || fail "schemathesis reported failures: $KEPT/report.txt"
