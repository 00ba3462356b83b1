#!/usr/bin/env bash
# Ingests EVENTS simulated notifications (default 1000000) with KILLS kills on the way, then kills a
# rebuild, a backup and a restore, deletes the directory, restores it, ingests the whole history
# again, and checks and audits everything.
#
# Notifications (18 KB each) are not stored: the generator repeats the same history from any
# position, signed by an authority that stays in the scratch directory.

source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

EVENTS=${EVENTS:-1000000}
KILLS=${KILLS:-6}
# Fixed, so that answers can be compared.
AT=2031-01-01T00:00:00.000Z
# Approximate events per second, to choose when to kill.
RATE=8000

cd "$SCRATCH"
mkfifo pipe
# Writes the root before anything verifies with it.
"$BINARY" simulate history --events 1 --authority keys --root root.der "${APP[@]}" \
    >/dev/null 2>simulate.err

step() { printf '%6d s  %s\n' "$SECONDS" "$*"; }

# Pipes the history from delivery $1 on into `ingest`; sets GENERATOR and INGEST.
feed() {
    "$BINARY" simulate history --events "$EVENTS" --skip "$1" --authority keys "${APP[@]}" \
        >pipe 2>simulate.err &
    GENERATOR=$!
    "$BINARY" ingest - --json "${APP[@]}" --trust-root root.der --data ledger \
        <pipe >ingest.json 2>ingest.err &
    INGEST=$!
}

# Waits for both processes.
fed() {
    wait "$INGEST" || broken "ingest: $(tail -n 3 ingest.err)"
    wait "$GENERATOR" || broken "simulate: $(tail -n 3 simulate.err)"
}

# The last progress of ingest: deliveries answered, and the last position of the log then.
acknowledged() {
    sed -n 's/^ingest: \([0-9]*\) read, position \([0-9]*\)$/\1 \2/p' ingest.err | tail -n 1
}

# Random seconds up to $1, with milliseconds.
random_seconds() {
    local most=$((${1} * 1000 + 1))
    local some=$(((RANDOM * 32768 + RANDOM) % most))
    printf '%d.%03d' $((some / 1000)) $((some % 1000))
}

# Kills process $1 after a random time of at most $2 seconds; succeeds if it was still running.
kill_within() {
    local code=0
    sleep "$(random_seconds "$2")"
    kill -KILL "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || code=$?
    [ "$code" = 137 ]
}

build() {
    local sent=0 round answered position
    for ((round = 1; round <= KILLS; round++)); do
        feed "$sent"
        if ! kill_within "$INGEST" $((2 + EVENTS / RATE / KILLS)); then
            fed
            step "round $round: done before it was killed"
            continue
        fi
        # It ends by itself without a reader, unless it has not written yet.
        kill "$GENERATOR" 2>/dev/null || true
        wait "$GENERATOR" 2>/dev/null || true
        answered=$(acknowledged)
        position=$(verified_position ledger)
        if [ -z "$position" ]; then
            broken "round $round: audit: $(cat audit.out audit.err)"
            verdict "given up"
        fi
        if [ "$position" -lt "${answered##* }" ] 2>/dev/null; then
            broken "round $round: ${answered##* } was acknowledged, now $position"
        fi
        sent=$((sent + ${answered%% *} + 0))
        step "round $round: killed; $position events sound, resuming after delivery $sent"
    done
    feed "$sent"
    fed
    step "all $EVENTS deliveries ingested: $(cat ingest.json)"
}

answers() {
    on "$1" export subscriptions --at "$AT" | sha256sum
    on "$1" export transitions --at "$AT" | sha256sum
}

# Runs a command and kills it, twice.
kill_command() {
    local round what
    for round in 1 2; do
        "$BINARY" "$@" "${APP[@]}" --trust-root root.der --data ledger >killed.out 2>&1 &
        what="had been done"
        if kill_within $! $((1 + EVENTS / 250000)); then what="killed"; fi
        step "$* ($round): $what"
        if [ "$1" = backup ]; then rm -f "$2"; fi
    done
}

echo "$EVENTS deliveries, $KILLS kills, in $SCRATCH"
build
position=$(verified_position ledger)
answers ledger >before
step "audit: $position events, $(wc -l < <(on ledger export subscriptions)) chains"

kill_command rebuild --from-log
kill_command backup ledger.backup
on ledger backup ledger.backup
step "backup"
rm -r ledger
kill_command restore "$SCRATCH/ledger.backup" --replace
if [ ! -e ledger/production/log.sqlite ] ||
    [ "$(on ledger ingest - --json </dev/null | number position)" != "$position" ]; then
    on ledger restore ledger.backup --replace
fi
step "restored after losing the directory"
answers ledger >after
cmp -s before after || broken "answers after the restore differ"

feed 0
fed
if [ "$(number appended <ingest.json)" != 0 ] || [ "$(number position <ingest.json)" != "$position" ]; then
    broken "the same history added events: $(cat ingest.json)"
fi
step "the whole history again: no missing and no duplicate events"

on ledger rebuild --check || broken "rebuild --check"
step "rebuild --check"
on ledger audit verify --signatures || broken "audit verify --signatures"
step "audit verify --signatures"
answers ledger >after
cmp -s before after || broken "answers at the end differ"
require_tidy ledger end
step "size: $(du -sh ledger | cut -f 1)"
verdict "$position events in $SECONDS s"
