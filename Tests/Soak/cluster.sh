# PostgreSQL for nodes.sh: a primary and its standby. Sourced, not run, after checks.sh.

PROGRAMS=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$PROGRAMS" ]; then PROGRAMS=$(dirname "$(command -v initdb || echo /missing/initdb)"); fi

# PostgreSQL refuses to run as root.
AS_SERVER=()
if [ "$(id -u)" = 0 ]; then AS_SERVER=(setpriv --reuid nobody --regid nogroup --clear-groups); fi

sql() { timeout 120 "$PROGRAMS/psql" -qAtX -h 127.0.0.1 -p "$1" -U postgres -d postgres -c "$2"; }

# Starts the cluster in directory $1 on port $2.
declare -A CLUSTER
start_cluster() {
    CLUSTER[$2]=$1
    "${AS_SERVER[@]}" "$PROGRAMS/postgres" -D "$1" -p "$2" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
        >>"$1.log" 2>&1 &
    echo $! >"$1.pid"
    within 300 "a server starts: $1" accepts "$1" "$2"
}

accepts() {
    if ended "$(cat "$1.pid")"; then echo "error: a server ended: $(tail "$1.log")" >&2 && exit 1; fi
    "$PROGRAMS/pg_isready" -q -h 127.0.0.1 -p "$2"
}

# Makes a synchronous standby of the primary on port $1, in directory $2, and starts it on port $3.
start_standby() {
    "${AS_SERVER[@]}" timeout 600 "$PROGRAMS/pg_basebackup" -D "$2" -R -X stream -c fast \
        -d "host=127.0.0.1 port=$1 user=postgres application_name=standby"
    start_cluster "$2" "$3"
    sql "$1" "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
    sql "$1" "SELECT pg_reload_conf()" >reload.out
    within 120 "the standby is synchronous" is_synchronous "$1"
}

is_synchronous() { [ "$(sql "$1" "SELECT sync_state FROM pg_stat_replication")" = sync ]; }

# Makes the standby on port $1 the primary; there is no standby then.
promote() {
    sql "$1" "SELECT pg_promote(true)" >promote.out
    sql "$1" "ALTER SYSTEM RESET synchronous_standby_names"
    sql "$1" "SELECT pg_reload_conf()" >reload.out
}

# Sends signal $1 to every process of the cluster on port $2.
signal_cluster() {
    local pid
    pid=$(cat "${CLUSTER[$2]}.pid")
    # Stopped, it starts no more processes.
    kill -STOP "$pid"
    kill "-$1" $(pgrep -P "$pid") "$pid" 2>/dev/null || true
}
