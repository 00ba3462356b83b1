#!/usr/bin/env bash
# Nodes over one log in PostgreSQL: a primary with a synchronous standby, two nodes under load. The
# primary is killed and the standby promoted, a node is killed, another one joins. Afterwards every
# acknowledged notification must be in the log once, and all nodes must give the same answers.
#
# With NEXT, the subledger of another release, the third node runs that one, beside the old one and
# under load; then the others are replaced one after the other, as in a rolling upgrade.
#
# With MINUTES, three nodes with a webhook endpoint are under load for so long, while SEED (a random
# one) draws the faults: nodes killed, emptied and paused, primaries killed, restarted and paused,
# connections ended. SEED repeats the faults and their order, not their exact moments.
#
# Starts a cluster of its own in a scratch directory; needs PostgreSQL's server programs and curl,
# with MINUTES also Python 3. NOTIFICATIONS (1200; with MINUTES, 400 for each and each lane) are
# posted, LANES (4) at once. A failed run with MINUTES keeps the directory.

FOLDER=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if [ "${MINUTES:-}" ]; then SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}; fi
source "$FOLDER/checks.sh"
source "$FOLDER/cluster.sh"

LANES=${LANES:-4}
NEXT=$(realpath "${NEXT:-$BINARY}")
PAUSE=${MINUTES:+0.1}
NOTIFICATIONS=${NOTIFICATIONS:-$((${MINUTES:-0} > 0 ? MINUTES * 400 * LANES : 1200))}
if [ ! -x "$PROGRAMS/initdb" ] || ! command -v curl >/dev/null; then
    echo "skipped: needs PostgreSQL's server programs (Debian: postgresql) and curl."
    exit 0
fi
if [ "${MINUTES:-}" ] && ! command -v python3 >/dev/null; then
    echo "skipped: receives webhooks with Python 3."
    exit 0
fi

step() { echo "${SECONDS} s: $*"; }
if [ "${MINUTES:-}" ]; then step "MINUTES=$MINUTES SEED=$SEED"; fi

# Below the range that the system gives to clients.
free_port() {
    local port
    while port=$((20000 + RANDOM % 12000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    echo "$port"
}

chmod 711 "$SCRATCH"
mkdir "$SCRATCH/pg"
if [ "$(id -u)" = 0 ]; then chown nobody "$SCRATCH/pg"; fi
cd "$SCRATCH"
PRIMARY=$(free_port) STANDBY=$(free_port)
"${AS_SERVER[@]}" "$PROGRAMS/initdb" -D "$SCRATCH/pg/a" -U postgres -A trust -E UTF8 --locale=C >initdb.out
start_cluster "$SCRATCH/pg/a" "$PRIMARY"
start_standby "$PRIMARY" "$SCRATCH/pg/b" "$STANDBY"
URL="postgresql://postgres@127.0.0.1:$PRIMARY,127.0.0.1:$STANDBY/postgres"
step "a primary and a synchronous standby"

# The ends of signatures tell notifications apart.
"$BINARY" simulate history --events $((NOTIFICATIONS * 3)) --seed $((${SEED:-0} % 1000001)) \
    --root root.der "${APP[@]}" 2>simulate.err |
    LC_ALL=C grep -o '"signedPayload":"[^"]*"' | awk '!seen[substr($0, length($0) - 80)]++' | head -n "$NOTIFICATIONS" |
    sed 's/.*/{&}/' >bodies || true
NOTIFICATIONS=$(wc -l <bodies)
if [ "$NOTIFICATIONS" -lt "$LANES" ]; then echo "error: no notifications: $(cat simulate.err)" >&2 && exit 1; fi

# Starts node $1 in its directory, an empty one the first time; its port is then in node$1.port.
start_node() {
    free_port >"node$1.port"
    "$BINARY" serve --port "$(cat "node$1.port")" --database "$URL" "${APP[@]}" \
        --trust-root root.der --data "node$1" >>"node$1.log" 2>&1 &
    echo $! >"node$1.pid"
    within 300 "node $1 answers" is_ready "$1" /readyz/answers
}

is_ready() {
    if ended "$(cat "node$1.pid")"; then
        echo "error: node $1 ended: $(tail "node$1.log")" >&2 && exit 1
    fi
    curl -sf -m 5 -o ready.out "http://127.0.0.1:$(cat "node$1.port")$2"
}

kill_node() {
    kill -KILL "$(cat "node$1.pid")"
    wait "$(cat "node$1.pid")" 2>/dev/null || true
}

# Node $1 answers what it has accepted, and ends.
stop_node() {
    kill -TERM "$(cat "node$1.pid")"
    within 120 "node $1 ends" ended "$(cat "node$1.pid")"
    wait "$(cat "node$1.pid")" || broken "node $1 ended with $?"
}

# Posts go to these nodes from now on.
use() { printf '%s\n' "$@" >nodes.new && mv nodes.new nodes; }

# Posts every $2-th body from the $1-th on to the nodes in turn, each until one acknowledges it. With
# MINUTES it repeats them, and ends when there is a file `enough`.
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
        if [ -e enough ]; then break; fi
        if [ "$PAUSE" ]; then sleep "$PAUSE"; fi
    done < <(while awk -v first="$1" -v step="$2" 'NR % step == first % step' bodies && [ "$PAUSE" ]; do :; done)
}

acknowledged() { cat acknowledged* 2>/dev/null | wc -l; }
has_acknowledged() { [ "$(acknowledged)" -ge "$1" ]; }
until_acknowledged() { within 300 "$1 are acknowledged" has_acknowledged "$1"; }

start_load() { for number in $(seq "$LANES"); do lane "$number" "$LANES" & LOAD+=($!); done; }
is_load_over() { ! kill -0 "${LOAD[@]}" 2>/dev/null; }
until_load_is_over() { within 600 "the load ends" is_load_over && wait "${LOAD[@]}"; }

short_run() {
    start_node 1
    start_node 2
    use 1 2
    step "two nodes are ready"
    start_load

    until_acknowledged $((NOTIFICATIONS / 4))
    kill -KILL "$(cat "$SCRATCH/pg/a.pid")"
    wait "$(cat "$SCRATCH/pg/a.pid")" 2>/dev/null || true
    sleep 0.2
    before=$(acknowledged)
    sleep 1
    step "the primary was killed: $(acknowledged) of $NOTIFICATIONS acknowledged, $(($(acknowledged) - before)) of them since"
    promote "$STANDBY"
    step "the standby is promoted"

    until_acknowledged $((NOTIFICATIONS / 2))
    kill_node 2
    use 1
    step "node 2 was killed: $(acknowledged) acknowledged"
    BINARY=$NEXT
    start_node 3
    use 1 3
    step "node 3 joined with an empty directory and has caught up: $(acknowledged) acknowledged"
    until_acknowledged $((NOTIFICATIONS * 3 / 4))
    start_node 2
    use 2 3
    stop_node 1
    start_node 1
    use 1 2 3
    step "node 2 is back, and node 1 was replaced: $(acknowledged) acknowledged"
    until_load_is_over
    LEADER=$STANDBY
}

# Inflicts fault $1; $2 is the node of faults of nodes.
inflict() {
    local place=${CLUSTER[$LEADER]} others=(1 2 3)
    unset "others[$2 - 1]"
    case $1 in
    kill) kill_node "$2" && start_node "$2" ;;
    wipe) kill_node "$2" && rm -rf "node$2" && start_node "$2" ;;
    pause)
        # Longer than its leases.
        kill -STOP "$(cat "node$2.pid")" && use "${others[@]}"
        sleep 15
        kill -CONT "$(cat "node$2.pid")" && use 1 2 3
        ;;
    promote)
        signal_cluster KILL "$LEADER"
        wait "$(cat "$place.pid")" 2>/dev/null || true
        promote "$FOLLOWER"
        start_standby "$FOLLOWER" "$SCRATCH/pg/$((CLUSTERS += 1))" "$LEADER"
        rm -rf "$place"
        read -r LEADER FOLLOWER <<<"$FOLLOWER $LEADER"
        ;;
    restart)
        kill -INT "$(cat "$place.pid")"
        within 120 "the primary ends" ended "$(cat "$place.pid")"
        start_cluster "$place" "$LEADER"
        ;;
    terminate)
        sql "$LEADER" "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()" >terminate.out
        ;;
    partition)
        # Longer than the statements of nodes may take.
        signal_cluster STOP "$LEADER"
        sleep 8
        signal_cluster CONT "$LEADER"
        ;;
    esac
}

# After a fault: standby and nodes are back, and notifications are acknowledged.
until_whole() {
    local node
    within 120 "the standby is synchronous" is_synchronous "$LEADER"
    for node in 1 2 3; do within 120 "node $node is ready" is_ready "$node" /readyz; done
    until_acknowledged $(($(acknowledged) + LANES + 1))
}

# Every kind of fault in drawn order, again and again, each with its node and the pause before it.
draw() {
    local round deck pick
    RANDOM=$SEED
    for round in $(seq $((MINUTES + 1))); do
        deck=(kill wipe kill pause promote restart terminate partition)
        while [ ${#deck[@]} -gt 0 ]; do
            pick=$((RANDOM % ${#deck[@]}))
            echo "${deck[pick]} $((RANDOM % 3 + 1)) $((RANDOM % 8 + 1))"
            deck=("${deck[@]:0:pick}" "${deck[@]:pick+1}")
        done
    done
}

long_run() {
    local fault node pause began end CLUSTERS=0
    LEADER=$PRIMARY FOLLOWER=$STANDBY
    python3 "$FOLDER/receiver.py" delivered >receiver.port &
    within 30 "the receiver starts" test -s receiver.port
    echo "whsec_$(head -c 24 /dev/urandom | base64)" >secret
    chmod 600 secret
    # The default configuration of every command in this directory.
    echo "webhooks: [{ name: soak, url: \"http://127.0.0.1:$(cat receiver.port)/\", secretFile: ./secret }]" >subledger.yaml
    for node in 1 2 3; do start_node $node; done
    use 1 2 3
    start_load
    draw >faults
    end=$((SECONDS + MINUTES * 60))
    while read -r -u 4 fault node pause && [ "$SECONDS" -lt "$end" ]; do
        sleep "$pause"
        step "$fault, node $node: $(acknowledged) acknowledged"
        began=$SECONDS
        inflict "$fault" "$node"
        until_whole
        step "whole after $((SECONDS - began)) s"
    done 4<faults
    touch enough
    until_load_is_over
}

if [ "${MINUTES:-}" ]; then long_run; else short_run; fi
step "all $(acknowledged) are acknowledged, $(cat refused* 2>/dev/null | wc -l) attempts were not; all nodes are back"

# What each lane posted.
for number in $(seq "$LANES"); do
    awk -v first="$number" -v step="$LANES" -v count="$(wc -l <"acknowledged$number")" \
        'NR % step == first % step && done++ < count' bodies
done >posted
mv posted bodies

# The log: as many events as a ledger of one machine has after the same bodies, and sound.
on alone ingest bodies --json >alone.json
END=$(number position <alone.json)
POSITION=$(sql "$LEADER" "SELECT position FROM subledger_production.head")
if [ "$POSITION" != "$END" ]; then broken "the log ends at $POSITION, one machine's at $END"; fi
gaps=$(sql "$LEADER" "SELECT count(*) FROM generate_series(1, $POSITION) AS p (n)
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
sql "$LEADER" "SELECT DISTINCT convert_from(chain, 'UTF8')
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

if [ "${MINUTES:-}" ]; then
    # Silent for 15 s, the stream is at its end.
    curl -sN -m 1200 "http://127.0.0.1:$(cat node1.port)/v1/changes?after=0" |
        sed -n -e 's/^data: //p' -e '/^: still here/q' | sort -u >feed || true
    require_delivered delivered feed
    step "webhooks delivered $(wc -l <feed) changes in $(wc -l <delivered) requests"
fi

for node in 1 2 3; do
    stop_node $node
    on "node$node" rebuild --check --database "$URL" >check.out 2>&1 ||
        broken "node $node: $(cat check.out)"
done
on node1 audit verify --database "$URL" --json >audit.json 2>audit.err ||
    broken "audit: $(cat audit.json audit.err)"
step "each equals a rebuild, and the log is sound"
verdict "$(acknowledged) notifications in $SECONDS s"
