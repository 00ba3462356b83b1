# What the soak scripts share: a scratch directory, the command, and what must hold after a fault.
# Sourced, not run. BINARY names the subledger to try; SOAK_KEEP=1 leaves the scratch directory.

set -euo pipefail

: "${BINARY:?Set BINARY to the subledger to try, or use make soak.}"
BINARY=$(realpath "$BINARY")
SCRATCH=$(mktemp -d)
SCRATCH=$(realpath "$SCRATCH")
BROKEN=0

finish() {
    # Whatever is still writing would bring the directory back.
    kill $(jobs -p) 2>/dev/null || true
    wait 2>/dev/null || true
    if [ "${MOUNTED:-}" ]; then umount "$MOUNTED" 2>/dev/null || true; fi
    if [ "${SOAK_KEEP:-}" ]; then echo "kept: $SCRATCH"; else rm -rf "$SCRATCH"; fi
}
trap finish EXIT

APP=(--bundle-id com.example.app --app-apple-id 1234567890)

# A command on the ledger in directory $1.
on() {
    local data=$1
    shift
    "$BINARY" "$@" "${APP[@]}" --trust-root "$SCRATCH/root.der" --data "$data"
}

# The number beside a key in a line of JSON: the first of that name.
number() { grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d : -f 2; }

broken() {
    BROKEN=$((BROKEN + 1))
    echo "BROKEN: $*"
}

# The end of the log in directory $1, after verifying all of it; empty when it does not verify.
verified_position() {
    on "$1" audit verify --json 2>"$SCRATCH/audit.err" | tee "$SCRATCH/audit.out" |
        grep '"sound":true' | grep '"projectionsMatch":true' | number position || true
}

# Nothing may lie in directory $1 that a person would have to clear away.
require_tidy() {
    local name
    while IFS= read -r name; do
        [[ $name =~ ^(log|operations|(facts|projections)(-[0-9]+)+)\.sqlite(-wal|-shm)?$ ]] ||
            [[ $name =~ ^(projector\.lock|projections\.sqlite|log-replaced-.*\.sqlite(-wal)?)$ ]] ||
            broken "$2: left behind: $name"
    done < <(ls -A "$1/production")
}

# After a fault in directory $1, described by $2, when an input that ends at event $5 had been
# taken in from event $3 on, and its command ended with exit code $4: the log is sound and goes
# no less far than what was acknowledged; taking all of $6 in again, which makes $7 events, adds
# what is missing and nothing else; answers are those of a rebuild; nothing has to be cleared away.
require_whole() {
    local data=$1 what=$2 known=$3 code=$4 end=$5 all=$6 total=$7
    local position summary
    position=$(verified_position "$data")
    if [ -z "$position" ]; then
        broken "$what: audit: $(cat "$SCRATCH/audit.out" "$SCRATCH/audit.err")"
        return
    fi
    if [ "$position" -lt "$known" ]; then broken "$what: $known events were there, now $position"; fi
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

# Says how it went; the exit code of the script.
verdict() {
    if [ "$BROKEN" = 0 ]; then
        echo "verdict: sound; $*"
    else
        echo "verdict: $BROKEN broken; $*"
        exit 1
    fi
}
