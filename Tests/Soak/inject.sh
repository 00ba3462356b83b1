#!/usr/bin/env bash
# Makes each file system call fail in turn, and kills the process at each: in an append, a first
# opening, a rebuild with its switch of files, a backup and a restore, also of a lost log. After each
# fault the ledger must be sound without intervention.
#
# strace counts calls per thread, so call k of every thread that makes that many is affected.
# SOAK_STRIDE=n tests every n-th call only; SOAK_CASES, SOAK_FAULTS and SOAK_CALLS, a part of the
# names of calls, select from those below.

source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

if ! command -v strace >/dev/null; then
    echo "skipped: strace, which injects the faults, is not on PATH."
    exit 0
fi
if ! strace -f -o "$SCRATCH/probe" -e trace=openat -e inject=openat:error=EIO:when=65535 true; then
    echo "skipped: strace cannot trace here (ptrace is not permitted)."
    exit 0
fi

STRIDE=${SOAK_STRIDE:-1}
CASES=${SOAK_CASES:-append first rebuild backup restore lost}
# A fault, with "+" if it persists; KILL kills the process as the call starts.
FAULTS=${SOAK_FAULTS:-EIO EIO+ ENOSPC+ KILL}
CALLS=(openat pread64 pwrite64,?writev write fsync,fdatasync ftruncate,?fallocate
    '?unlink,?unlinkat' '?rename,?renameat,?renameat2' '?symlink,?symlinkat' '?link,?linkat'
    '?mkdir,?mkdirat' '?rmdir')
TRIALS=0

cd "$SCRATCH"
"$BINARY" simulate history --events 60 --root root.der "${APP[@]}" >all.ndjson 2>simulate.err
head -n 40 all.ndjson >some.ndjson
tail -n 20 all.ndjson >rest.ndjson
on whole ingest all.ndjson --json >whole.json
on base ingest some.ndjson --json >base.json
TOTAL=$(number position <whole.json)
START=$(number position <base.json)
on base backup base.backup >backup.out

# Creates the ledger of a case in ./trial, and sets COMMAND, KNOWN and END: the number of events that
# must remain in any case, and the number after success.
prepare() {
    rm -rf trial trial.backup*
    KNOWN=$START END=$START
    case $1 in
    append)
        cp -a base trial
        COMMAND=(ingest rest.ndjson) END=$TOTAL
        ;;
    first)
        COMMAND=(ingest all.ndjson) KNOWN=0 END=$TOTAL
        ;;
    rebuild)
        cp -a base trial
        COMMAND=(rebuild)
        ;;
    backup)
        cp -a base trial
        COMMAND=(backup trial.backup)
        ;;
    restore)
        cp -a whole trial
        COMMAND=(restore base.backup --replace)
        ;;
    lost)
        cp -a whole trial
        rm trial/production/log.sqlite*
        COMMAND=(restore base.backup)
        ;;
    esac
}

# Sets PATHS to the ledger's paths that the case's command touches, as options of strace.
paths() {
    prepare "$1"
    strace -f -o "paths" -e trace=file,desc -y -- "$BINARY" "${COMMAND[@]}" "${APP[@]}" \
        --trust-root root.der --data trial >/dev/null 2>&1
    PATHS=()
    local path
    while IFS= read -r path; do
        PATHS+=(-P "$path")
    done < <({
        grep -o "\"[^\"]*trial[^\"]*\"" paths | tr -d '"' | sed "s|^\([^/]\)|$SCRATCH/\1|"
        grep -o "<$SCRATCH/[^>]*trial[^>]*>" paths | tr -d '<>'
        grep -o "<$SCRATCH>" paths | tr -d '<>'
    } | sed 's|/\./|/|g' | sort -u | grep -v 'partial-')
}

# One fault: case $1, calls $2, fault $3, the $4-th call. Fails when there are fewer calls.
try() {
    local case=$1 calls=$2 fault=$3 k=$4
    local action="error=${fault%+}:when=$k${fault##*[!+]}" code=0
    if [ "$fault" = KILL ]; then action="signal=KILL:when=$k"; fi
    # Restricted to PATHS, since the loader and the runtime make these calls too.
    local only=()
    if [[ $calls =~ ^(openat|pread64|write)$ ]]; then only=("${PATHS[@]}"); fi
    prepare "$case"
    # In a subshell, since bash would otherwise report every killed process.
    (
        strace -f -qq -o trace -e "trace=$calls" "${only[@]}" -e "inject=$calls:$action" -- \
            "$BINARY" "${COMMAND[@]}" "${APP[@]}" --trust-root root.der --data trial \
            >out 2>err </dev/null
        exit $?
    ) 2>/dev/null || code=$?
    if [ "$fault" = KILL ]; then
        if [ "$code" != 137 ]; then return 1; fi
    elif ! grep -q '(INJECTED)' trace; then
        return 1
    fi
    TRIALS=$((TRIALS + 1))
    require_answer "$case $calls $fault $k" "$fault" "$code"
    require_outcome "$case" "$case $calls $fault $k" "$code"
}

# An error must have a stable code; crashes are failures.
require_answer() {
    local what=$1 fault=$2 code=$3
    if [ "$fault" = KILL ]; then return; fi
    case $code in
    0) ;;
    1 | 70 | 74) grep -q '^error: [a-zA-Z]*: ' err || broken "$what: no reason given: $(cat err)" ;;
    *) broken "$what: exit $code: $(tail -n 3 err)" ;;
    esac
}

require_outcome() {
    local case=$1 what=$2 code=$3
    case $case in
    backup)
        # The backup file is absent, or it restores.
        if [ -e trial.backup ]; then
            on other restore trial.backup >restore.out 2>&1 ||
                broken "$what: the backup does not restore: $(cat restore.out)"
            rm -rf other trial.backup
        elif [ "$code" = 0 ]; then
            broken "$what: exit 0 without a backup"
        fi
        on trial backup trial.backup >backup.out 2>&1 || broken "$what: again: $(cat backup.out)"
        if ls -A | grep -q 'partial-'; then broken "$what: left behind: $(ls -A | grep partial-)"; fi
        ;;
    restore | lost)
        require_either "$case" "$what"
        # Files left by an interrupted restore are removed by the next one.
        on trial restore base.backup --replace >restore.out 2>&1 ||
            broken "$what: again: $(cat restore.out)"
        ;;
    esac
    require_whole trial "$what" "$KNOWN" "$code" "$END" all.ndjson "$TOTAL"
}

# Appends to what an interrupted restore left: to one of the two logs, or to none where it was lost.
require_either() {
    if on trial ingest all.ndjson --json >either.json 2>either.err; then
        case $(number appended <either.json) in
        0 | $((TOTAL - START))) ;;
        *) broken "$2: neither log is there: $(cat either.json)" ;;
        esac
    elif [ "$1" != lost ] || ! grep -q '^error: fileReplaced: ' either.err; then
        broken "$2: opening: $(cat either.err)"
    fi
}

# The number of calls of a kind in all threads of the command that `paths` has traced.
made() {
    local names=${1//\?/}
    grep -cE "^[0-9]+ +(${names//,/|})\(" paths || true
}

# Tests every call of a kind, until no thread makes that many.
series() {
    local case=$1 calls=$2 fault=$3 k=1 before=$TRIALS most
    most=$(made "$calls")
    while [ "$k" -le "$most" ] && try "$case" "$calls" "$fault" "$k"; do
        # A persistent fault fails alike from consecutive calls, so the stride grows.
        if [ "${fault%+}" != "$fault" ]; then k=$((k + k / 4)); fi
        k=$((k + STRIDE))
    done
    if [ "$TRIALS" != "$before" ]; then echo "$case: $calls: $fault: $((TRIALS - before)) faults"; fi
}

for case in $CASES; do
    paths "$case"
    for calls in "${CALLS[@]}"; do
        if [[ $calls != *${SOAK_CALLS:-}* ]]; then continue; fi
        for fault in $FAULTS; do series "$case" "$calls" "$fault"; done
    done
done
verdict "$TRIALS faults injected"
