#!/usr/bin/env bash
# Sends through the qdisc (xmit_mode queue_xmit) from one or more of pktgen's threads, and prints
# each device's Result. Runs against the kernel's pktgen, or, with PKTGEN_DIR, against the directory
# that qdiscsimd mounts (pktgen.control_fs). Device DEV of thread N is called DEV@N and sends to
# queue N.
set -u

PKTGEN_DIR=${PKTGEN_DIR:-/proc/net/pktgen}

DEV=
THREADS=1 # how many
FIRST=0   # the first one's number
COUNT=100000
SIZE=60
DST=198.18.0.42
DST_MAC=90:e2:ba:ff:ff:ff

usage() {
  cat >&2 <<TEXT
usage: $0 -i DEV [-t THREADS] [-f FIRST_THREAD] [-n COUNT] [-s SIZE] [-d IPV4] [-m MAC]
  COUNT packets a thread; 0: until Ctrl-C
TEXT
  exit 2
}

fail() {
  printf '%s: %s\n' "$0" "$2" >&2
  exit "$1"
}

# command FILE WORDS...: one write; then the file says what came of it.
command_to() {
  local file=$1 refused=no result
  shift
  echo "$*" >"$PKTGEN_DIR/$file" || refused=yes
  # pgctrl has no Result line.
  result=$(grep "Result:" "$PKTGEN_DIR/$file")
  if [[ $refused == yes ]]; then
    fail 5 "$file: $*: write error; $result"
  fi
  if [[ -n $result && $result != "Result: OK:"* ]]; then
    fail 5 "$file: $*: $result"
  fi
}

pg_ctrl() { echo "$1" >"$PKTGEN_DIR/pgctrl" || fail 5 "pgctrl: $1: write error"; }
pg_thread() { command_to "kpktgend_$1" "${@:2}"; }
pg_set() { command_to "$@"; }

while getopts "i:t:f:n:s:d:m:" option; do
  case $option in
    i) DEV=$OPTARG ;;
    t) THREADS=$OPTARG ;;
    f) FIRST=$OPTARG ;;
    n) COUNT=$OPTARG ;;
    s) SIZE=$OPTARG ;;
    d) DST=$OPTARG ;;
    m) DST_MAC=$OPTARG ;;
    *) usage ;;
  esac
done
[[ -n $DEV ]] || usage
[[ -w $PKTGEN_DIR/pgctrl ]] ||
  fail 3 "$PKTGEN_DIR: no control files that this user may write; load the module (modprobe pktgen)\
 and be root, or start qdiscsimd and set PKTGEN_DIR"

pg_ctrl reset
for ((thread = FIRST; thread < FIRST + THREADS; thread++)); do
  device=$DEV@$thread
  pg_thread "$thread" rem_device_all
  pg_thread "$thread" add_device "$device"
  pg_set "$device" flag QUEUE_MAP_CPU
  pg_set "$device" count "$COUNT"
  pg_set "$device" pkt_size "$SIZE"
  pg_set "$device" delay 0
  pg_set "$device" flag NO_TIMESTAMP
  pg_set "$device" dst_mac "$DST_MAC"
  pg_set "$device" dst_min "$DST"
  pg_set "$device" dst_max "$DST"
  pg_set "$device" xmit_mode queue_xmit
done

results() {
  for ((thread = FIRST; thread < FIRST + THREADS; thread++)); do
    echo "Device: $DEV@$thread"
    grep -A 2 "Result:" "$PKTGEN_DIR/$DEV@$thread"
  done
}

# Ctrl-C stops the devices, and then this script, which says first how far they came.
trap 'results; exit 130' INT
echo "Running... ctrl-C to stop" >&2
pg_ctrl start
echo "Done" >&2
results
