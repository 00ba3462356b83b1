#!/usr/bin/env bash
# Fills the disk during an ingest: a small tmpfs where mounting is permitted, else a file size limit.
# Acknowledged events must remain; with free space again, the rest can be ingested.

source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

EVENTS=3000
cd "$SCRATCH"
"$BINARY" simulate history --events "$EVENTS" --root root.der "${APP[@]}" >all.ndjson 2>simulate.err
on whole ingest all.ndjson --json >whole.json
TOTAL=$(number position <whole.json)
mkdir disk

# Ingests everything without enough space, which must be reported. $1 describes the limit.
fill() {
    local code=0 position
    "${@:2}" "$BINARY" ingest all.ndjson "${APP[@]}" --trust-root root.der --data disk/ledger --json \
        >full.json 2>full.err || code=$?
    if [ "$code" != 74 ] || ! grep -qE '^error: (diskFull|ioError|commitOutcomeUnknown): ' full.err; then
        broken "$1: exit $code: $(tail -n 3 full.err)"
    fi
    position=$(number position <full.json || true)
    echo "$1: exit $code at position ${position:-unknown}: $(grep '^error: ' full.err | cut -d : -f 2)"
    KNOWN=${position:-0}
}

if mount -t tmpfs -o size=2m tmpfs disk 2>/dev/null; then
    MOUNTED=$SCRATCH/disk
    for kibibytes in 300 700 1500 3000 5000; do
        rm -rf disk/ledger
        mount -o "remount,size=${kibibytes}k" disk
        fill "full at $kibibytes KiB"
        mount -o "remount,size=200m" disk
        require_whole disk/ledger "full at $kibibytes KiB" "$KNOWN" 74 "$TOTAL" all.ndjson "$TOTAL"
    done
else
    echo "Mounting is not permitted here: using a file size limit instead."
    for kibibytes in 64 300 700 1500 3000; do
        rm -rf disk/ledger
        # With the signal ignored, calls fail instead.
        fill "files up to $kibibytes KiB" \
            bash -c "trap '' XFSZ; ulimit -f $kibibytes; exec \"\$@\"" limited
        require_whole disk/ledger "files up to $kibibytes KiB" "$KNOWN" 74 "$TOTAL" all.ndjson \
            "$TOTAL"
    done
fi
verdict "full disks tested"
