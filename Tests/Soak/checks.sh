# Shared by the soak scripts: a scratch directory, the command, and the checks after a fault.
# Sourced, not run. BINARY names the subledger to try; SOAK_KEEP=1 leaves the scratch directory.

set -euo pipefail

: "${BINARY:?Set BINARY to the subledger to try, or use make soak.}"
BINARY=$(realpath "$BINARY")
SCRATCH=$(mktemp -d)
SCRATCH=$(realpath "$SCRATCH")
BROKEN=0

finish() {
    local code=$? job
    if [ $code != 0 ] && [ "${MINUTES:-}" ]; then
        echo "failed with MINUTES=$MINUTES SEED=$SEED"
        SOAK_KEEP=1
    fi
    # A process that still writes would recreate the directory, and a stopped one would never end.
    for job in $(jobs -p); do kill -CONT "$job" $(pgrep -P "$job" 2>/dev/null) 2>/dev/null || true; done
    kill $(jobs -p) 2>/dev/null || true
    for _ in $(seq 300); do if [ -z "$(jobs -pr)" ]; then break; fi && sleep 0.1; done
    kill -KILL $(jobs -p) 2>/dev/null || true
    wait 2>/dev/null || true
    if [ "${MOUNTED:-}" ]; then umount "$MOUNTED" 2>/dev/null || true; fi
    if [ "${SOAK_KEEP:-}" ]; then echo "kept: $SCRATCH"; else rm -rf "$SCRATCH"; fi
}
trap finish EXIT

APP=(--bundle-id com.example.app --app-apple-id 1234567890)

# Runs a command on the ledger in directory $1.
on() {
    local data=$1
    shift
    "$BINARY" "$@" "${APP[@]}" --trust-root "$SCRATCH/root.der" --data "$data"
}

# The number of the first member with that key in a line of JSON.
number() { grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d : -f 2; }

broken() {
    BROKEN=$((BROKEN + 1))
    echo "BROKEN: $*"
}

# Waits at most $1 seconds until the rest, a command, succeeds; else ends the script, naming $2.
within() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        if [ "$SECONDS" -ge "$end" ]; then echo "error: too long: $what" >&2 && exit 1; fi
        sleep 0.2
    done
}

ended() { ! kill -0 "$1" 2>/dev/null; }

# Verifies the log in directory $1 and prints its last position; prints nothing if it is not sound.
verified_position() {
    on "$1" audit verify --json 2>"$SCRATCH/audit.err" | tee "$SCRATCH/audit.out" |
        grep '"sound":true' | grep '"projectionsMatch":true' | number position || true
    # Stopped before there was a log.
    if grep -q '^error: noLog' "$SCRATCH/audit.err"; then echo 0; fi
}

# Directory $1 must contain no files that require manual cleanup.
require_tidy() {
    local name
    while IFS= read -r name; do
        [[ $name =~ ^(log|operations|(facts|projections)(-[0-9]+)+)\.sqlite(-wal|-shm)?$ ]] ||
            [[ $name =~ ^(projector\.lock|projections\.sqlite|log-replaced-.*\.sqlite(-wal)?)$ ]] ||
            broken "$2: left behind: $name"
    done < <(ls -A "$1/production")
}

# Checks directory $1 after the fault $2. The input was ingested from event $3 on, ends at event $5,
# and its command exited with $4. The log must be sound and contain everything acknowledged;
# ingesting all of $6 again, which makes $7 events, adds the missing ones only; answers equal those
# of a rebuild; no cleanup is needed.
require_whole() {
    local data=$1 what=$2 known=$3 code=$4 end=$5 all=$6 total=$7
    local position summary
    position=$(verified_position "$data")
    if [ -z "$position" ]; then
        broken "$what: audit: $(cat "$SCRATCH/audit.out" "$SCRATCH/audit.err")"
        return
    fi
    if [ "$position" -lt "$known" ]; then broken "$what: there were $known events, now $position"; fi
    if [ "$code" = 0 ] && [ "$position" -lt "$end" ]; then
        broken "$what: acknowledged up to $end, but the log ends at $position"
    fi
    summary=$(on "$data" ingest "$all" --json 2>"$SCRATCH/again.err") ||
        broken "$what: ingest again: $(cat "$SCRATCH/again.err")"
    if [ "$(number position <<<"$summary")" != "$total" ] ||
        [ "$(number appended <<<"$summary")" != $((total - position)) ]; then
        broken "$what: $position of $total events, then: $summary"
    fi
    on "$data" rebuild --check >"$SCRATCH/check.out" 2>&1 ||
        broken "$what: rebuild --check: $(cat "$SCRATCH/check.out")"
    require_tidy "$data" "$what"
}

# Webhooks, as receiver.py wrote them to $1, must bring each change of the feed $2, sorted bodies, and
# no other: of each chain the changes 1, 2, 3 … in order, each under one id.
require_delivered() {
    within 600 "webhooks bring $(wc -l <"$2") changes" has_bodies "$1" "$(wc -l <"$2")"
    cut -f 2- "$1" | sort -u | comm -3 - "$2" >"$SCRATCH/differing"
    awk -F '\t' '{
        match($2, /"originalTransactionId":"[^"]*"/); chain = substr($2, RSTART, RLENGTH)
        match($2, /"sequence":[0-9]+/); number = substr($2, RSTART + 11, RLENGTH - 11) + 0
        if (number > last[chain] + 1) print chain, number " follows " last[chain] + 0
        if (number > last[chain]) last[chain] = number
        if (!((chain, number) in id)) id[chain, number] = $1
        if (id[chain, number] != $1) print chain, number " is " id[chain, number] " and " $1
    }' "$1" >"$SCRATCH/misnumbered"
    if [ ! -s "$2" ]; then broken "the feed is empty"; fi
    if [ -s "$SCRATCH/differing" ]; then broken "webhooks and feed: $(wc -l <"$SCRATCH/differing") differ"; fi
    if [ -s "$SCRATCH/misnumbered" ]; then broken "webhooks: $(head -n 5 "$SCRATCH/misnumbered")"; fi
}

has_bodies() { [ "$(cut -f 2- "$1" | sort -u | wc -l)" -ge "$2" ]; }

# Prints the result and sets the script's exit code.
verdict() {
    if [ "$BROKEN" = 0 ]; then
        echo "verdict: sound; $*"
    else
        echo "verdict: $BROKEN broken; $*"
        exit 1
    fi
}
