#!/usr/bin/env bash
# Runs every bench and simulation in a short form. They must end without an error; their figures are only printed, since a
# shared machine says little in seconds.
set -euo pipefail
cd "$(dirname "$0")/.."

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

short() {
  printf '\n[ci-benches] %s\n' "$*"
  timeout 300 env "$@" 2>"$errors" || { local code=$?; tail -n 30 "$errors"; echo "[ci-benches] failed: exit code $code"; exit "$code"; }
}
short BENCH_ROUNDS=2 npm run -s bench:limits
short BENCH_ROUNDS=1 npm run -s bench:probe
short BENCH_ROUNDS=1 BENCH_SLICE_SECONDS=1 BENCH_ADDRESSES=500 npm run -s bench:edge
short BENCH_ROUNDS=1 BENCH_CALLS=20 BENCH_FAR_CALLS=8 npm run -s bench:verify
short BENCH_ROUNDS=1 BENCH_CALLS=10 npm run -s bench:form
# The real servers are a part of test/mta already.
short npm run -s bench:verdicts -- --part sandbox --part replies
short BENCH_SIZES=500 npm run -s bench:bulk
# Two worlds take 3 s and are exact for their seeds, so the bench's own judgment counts.
short BENCH_SEEDS=1,2 npm run -s bench:calibration
# The simulation is exact for a seed and takes 20 s, so its own judgment counts.
short npm run -s sim:fleet
