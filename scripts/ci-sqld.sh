#!/usr/bin/env bash
# Runs a part of the tests on sqld: those that only sqld has, the stores that other suites depend on, and the whole stack.
# `DATABASE=sqld npm test` runs everything on it.
set -euo pipefail
cd "$(dirname "$0")/.."
export DATABASE=sqld

wire=(erasure query-plans charges credit-leases idempotency job-chunks job-intake history keys fleet-store counters integration-credentials)
# Without suites that measure times or need many writers at once: they fail on a busy machine.
stack=(compliance reverify keys outage account-scope suppression)

only() { printf "test/$1/%s.test.ts\n" "${@:2}"; }
run() { timeout 300 npx vitest run --config test/vitest.config.ts "$@"; }
# shellcheck disable=SC2046
run --project sqld --project wire --project e2e test/sqld $(only wire "${wire[@]}") $(only e2e "${stack[@]}")
