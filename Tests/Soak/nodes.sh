#!/usr/bin/env bash
# Nodes over one log in PostgreSQL: a primary with a synchronous standby, two nodes under load. The
# primary is killed and the standby promoted, a node is killed, another one joins. Afterwards every
# acknowledged notification must be in the log once, and all nodes must give the same answers.
#
# Starts a cluster of its own in a scratch directory; needs PostgreSQL's server programs and curl.
# NOTIFICATIONS (1200) are posted, LANES (4) at once.

source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

NOTIFICATIONS=${NOTIFICATIONS:-1200}
LANES=${LANES:-4}
PROGRAMS=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$PROGRAMS" ]; then PROGRAMS=$(dirname "$(command -v initdb || echo /missing/initdb)"); fi
if [ ! -x "$PROGRAMS/initdb" ] || ! command -v curl >/dev/null; then
    echo "skipped: needs PostgreSQL's server programs (Debian: postgresql) and curl."
    exit 0
fi

step() { echo "${SECONDS} s: $*"; }

# PostgreSQL refuses to run as root.
AS_SERVER=()
if [ "$(id -u)" = 0 ]; then AS_SERVER=(setpriv --reuid nobody --regid nogroup --clear-groups); fi

sql() { "$PROGRAMS/psql" -qAtX -h 127.0.0.1 -p "$1" -U postgres -d postgres -c "$2"; }

# Below the range that the system gives to clients.
free_port() {
    local port
    while port=$((20000 + RANDOM % 12000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    echo "$port"
}

# Starts the cluster in directory $1 on port $2.
start_cluster() {
    "${AS_SERVER[@]}" "$PROGRAMS/postgres" -D "$1" -p "$2" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
        >>"$1.log" 2>&1 &
    echo $! >"$1.pid"
    until "$PROGRAMS/pg_isready" -q -h 127.0.0.1 -p "$2"; do
        if ! kill -0 $!; then echo "error: a server ended: $(cat "$1.log")" >&2 && exit 1; fi
        sleep 0.1
    done
}

chmod 711 "$SCRATCH"
mkdir "$SCRATCH/pg"
if [ "$(id -u)" = 0 ]; then chown nobody "$SCRATCH/pg"; fi
cd "$SCRATCH"
PRIMARY=$(free_port) STANDBY=$(free_port)
"${AS_SERVER[@]}" "$PROGRAMS/initdb" -D "$SCRATCH/pg/a" -U postgres -A trust -E UTF8 --locale=C >initdb.out
start_cluster "$SCRATCH/pg/a" "$PRIMARY"
"${AS_SERVER[@]}" "$PROGRAMS/pg_basebackup" -D "$SCRATCH/pg/b" -R -X stream -c fast \
    -d "host=127.0.0.1 port=$PRIMARY user=postgres application_name=standby"
start_cluster "$SCRATCH/pg/b" "$STANDBY"
sql "$PRIMARY" "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
sql "$PRIMARY" "SELECT pg_reload_conf()" >reload.out
until [ "$(sql "$PRIMARY" "SELECT sync_state FROM pg_stat_replication")" = sync ]; do sleep 0.1; done
URL="postgresql://postgres@127.0.0.1:$PRIMARY,127.0.0.1:$STANDBY/postgres"
step "a primary and a synchronous standby"

"$BINARY" simulate history --events $((NOTIFICATIONS * 3)) --root root.der "${APP[@]}" 2>simulate.err |
    grep -o '"signedPayload":"[^"]*"' | awk '!seen[$0]++' | head -n "$NOTIFICATIONS" |
    sed 's/.*/{&}/' >bodies || true
NOTIFICATIONS=$(wc -l <bodies)

# Starts node $1 with an empty directory; its port is then in node$1.port.
start_node() {
    free_port >"node$1.port"
    "$BINARY" serve --port "$(cat "node$1.port")" --database "$URL" "${APP[@]}" \
        --trust-root root.der --data "node$1" >"node$1.log" 2>&1 &
    echo $! >"node$1.pid"
    until_ready "$1"
}

until_ready() {
    until curl -sf -o ready.out "http://127.0.0.1:$(cat "node$1.port")/readyz/answers"; do
        if ! kill -0 $!; then echo "error: node $1 ended: $(cat "node$1.log")" >&2 && exit 1; fi
        sleep 0.1
    done
}

# Posts go to these nodes from now on.
use() { printf '%s\n' "$@" >nodes.new && mv nodes.new nodes; }

# Posts every $2-th body from the $1-th on to the nodes in turn, each until one acknowledges it.
lane() {
    local body node turn=$1 code
    while IFS= read -r body; do
        while :; do
            node=$(sed -n "$((turn % $(wc -l <nodes) + 1))p" nodes)
            turn=$((turn + 1))
            code=$(curl -s -m 30 -o /dev/null -w '%{http_code}' -d "$body" \
                -H 'Content-Type: application/json' \
                "http://127.0.0.1:$(cat "node$node.port")/appstore/notifications") || true
            if [ "$code" = 200 ]; then break; fi
            echo "$code" >>"refused$1"
            sleep 0.05
        done
        echo x >>"acknowledged$1"
    done < <(awk -v first="$1" -v step="$2" 'NR % step == first % step' bodies)
}

acknowledged() { cat acknowledged* 2>/dev/null | wc -l; }
until_acknowledged() { until [ "$(acknowledged)" -ge "$1" ]; do sleep 0.05; done; }

start_node 1
start_node 2
use 1 2
step "two nodes are ready"
for number in $(seq "$LANES"); do lane "$number" "$LANES" & LOAD+=($!); done

until_acknowledged $((NOTIFICATIONS / 4))
kill -KILL "$(head -n 1 "$SCRATCH/pg/a/postmaster.pid")"
sleep 0.2
before=$(acknowledged)
sleep 1
step "the primary was killed: $(acknowledged) of $NOTIFICATIONS acknowledged, $(($(acknowledged) - before)) of them since"
sql "$STANDBY" "SELECT pg_promote(true)" >promote.out
sql "$STANDBY" "ALTER SYSTEM RESET synchronous_standby_names" && sql "$STANDBY" "SELECT pg_reload_conf()" >reload.out
step "the standby is promoted"

until_acknowledged $((NOTIFICATIONS / 2))
kill -KILL "$(cat node2.pid)"
wait "$(cat node2.pid)" 2>/dev/null || true
use 1
step "node 2 was killed: $(acknowledged) acknowledged"
start_node 3
use 1 3
step "node 3 joined with an empty directory and has caught up"
wait "${LOAD[@]}"
start_node 2
step "all $(acknowledged) are acknowledged, $(cat refused* 2>/dev/null | wc -l) attempts were not; node 2 is back"

# The log: as many events as a ledger of one machine has after the same bodies, and sound.
on alone ingest bodies --json >alone.json
END=$(number position <alone.json)
POSITION=$(sql "$STANDBY" "SELECT position FROM subledger_production.head")
if [ "$POSITION" != "$END" ]; then broken "the log ends at $POSITION, one machine's at $END"; fi
gaps=$(sql "$STANDBY" "SELECT count(*) FROM generate_series(1, $POSITION) AS p (n)
    LEFT JOIN subledger_production.events AS e ON e.position = n WHERE e.position IS NULL")
if [ "$gaps" != 0 ]; then broken "$gaps positions are missing"; fi
for body in first all; do
    if [ $body = first ]; then head -n 1 bodies >again; else cp bodies again; fi
    on again1 ingest again --database "$URL" --json >again.json 2>again.err ||
        broken "ingest again: $(cat again.err)"
    if [ "$(number appended <again.json)" != 0 ]; then broken "the same bodies added: $(cat again.json)"; fi
done
step "the log holds $POSITION events, each once"

# Equal answers at an equal position from every node.
sql "$STANDBY" "SELECT DISTINCT convert_from(chain, 'UTF8')
    FROM subledger_production.events WHERE chain IS NOT NULL" | sort >chains
for node in 1 2 3; do
    while IFS= read -r chain; do
        echo "url = \"http://127.0.0.1:$(cat node$node.port)/v1/subscriptions/$chain?minPosition=$POSITION&knownPosition=$POSITION&at=2026-01-01\""
    done <chains >questions
    curl -sf -K questions >"answers$node" || broken "node $node: a query failed"
    if ! cmp -s answers1 "answers$node"; then broken "node $node answers differ"; fi
done
if [ ! -s chains ] || [ ! -s answers1 ]; then broken "no answers to compare"; fi
step "three nodes give the same answers about $(wc -l <chains) chains"

for node in 1 2 3; do
    kill -TERM "$(cat node$node.pid)" && wait "$(cat node$node.pid)" || broken "node $node ended with $?"
    on "node$node" rebuild --check --database "$URL" >check.out 2>&1 ||
        broken "node $node: $(cat check.out)"
done
on node1 audit verify --database "$URL" --json >audit.json 2>audit.err ||
    broken "audit: $(cat audit.json audit.err)"
step "each equals a rebuild, and the log is sound"
verdict "$NOTIFICATIONS notifications in $SECONDS s"
