import { expect, test } from "vitest"
import { retryAfterMs } from "../../../src/adapters/external-calls.ts"

const NOW = Date.UTC(2026, 10, 21, 12)

test.each([
  ["120", 120_000],
  [" 0 ", 0],
  [new Date(NOW + 60_000).toUTCString(), 60_000],
  [new Date(NOW - 60_000).toUTCString(), 0],
  ["1e9", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["", undefined],
])("Retry-After: %s", (header, ms) => {
  expect(retryAfterMs(new Headers({ "retry-after": header }), NOW)).toBe(ms)
})
