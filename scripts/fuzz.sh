#!/usr/bin/env bash
# Fuzzes every target, two at a time, and stops at the first crash.
#
#   scripts/fuzz.sh                          every target, five minutes each
#   SECONDS_EACH=60 scripts/fuzz.sh sse body  these two, a minute each
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${SECONDS_EACH:-300}
export CARGO_TARGET_DIR="$PWD/fuzz/target"
# A crash names its lines.
export CARGO_PROFILE_RELEASE_DEBUG=line-tables-only CARGO_PROFILE_RELEASE_STRIP=none
logs=$CARGO_TARGET_DIR/logs
mkdir -p "$logs"

# What was built is run as it is, whatever becomes of the sources in the meantime.
built=$CARGO_TARGET_DIR/$(rustc +nightly --print host-tuple)/release

run() {
  mkdir -p "fuzz/corpus/$1" "fuzz/artifacts/$1"
  "$built/$1" "fuzz/corpus/$1" "fuzz/seeds/$1" -artifact_prefix="fuzz/artifacts/$1/" \
    -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=10 -print_final_stats=1 >"$logs/$1.log" 2>&1
}

# Stops what is still running, and nothing else: each run is a process group of its own.
stop() {
  for job in $(jobs -p); do
    kill -- "-$job" 2>/dev/null || true
  done
}
trap stop EXIT
set -m

report() {
  if run "$1"; then
    local executions
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$1.log")
    printf '%-14s %12s executions in %s s, no crash\n' "$1" "$executions" "$seconds"
  else
    printf '%-14s CRASHED, see %s\n' "$1" "fuzz/target/logs/$1.log" >&2
    grep -A 2 -E 'panicked at|ERROR: libFuzzer' "$logs/$1.log" | head -n 8 | cut -c 1-1000 >&2 || true
    return 1
  fi
}

# Without a sanitizer: the crates forbid unsafe code, and the targets are several times as fast.
cargo +nightly fuzz build --fuzz-dir fuzz --sanitizer none
mapfile -t targets < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else cargo +nightly fuzz list --fuzz-dir fuzz; fi)
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
    wait -n
  done
  report "$target" &
done
while [ -n "$(jobs -rp)" ]; do
  wait -n
done
