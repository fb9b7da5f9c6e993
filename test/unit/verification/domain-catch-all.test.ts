import { expect, test } from "vitest"
import { domainCatchAll } from "../../../src/domain/signals/stored-domains.ts"
import type { Verification } from "../../../src/domain/verification/verification.ts"

const DAY = 86_400_000
const PROBE = {} as NonNullable<Verification["evidence"]["mailbox"]>

const result = (
  day: number,
  verdict: { isCatchAll?: boolean | null; replyClass?: string },
  mailbox: typeof PROBE | null = PROBE,
) => {
  const reply = verdict.replyClass === undefined ? null : { class: verdict.replyClass }
  return {
    verifiedAt: day * DAY + 5_000,
    evidence: { mailbox },
    verdict: { isCatchAll: verdict.isCatchAll ?? null, reply },
  } as unknown as Verification
}

test.each([
  ["nothing", [], { isCatchAll: null, day: null, probes: 0 }],
  ["an inconclusive probe", [result(1, {})], { isCatchAll: null, day: null, probes: 0 }],
  [
    "a refused random recipient",
    [result(1, { isCatchAll: false })],
    { isCatchAll: false, day: "1970-01-02", probes: 1 },
  ],
  ["an accepted one", [result(1, { isCatchAll: true })], { isCatchAll: true, day: "1970-01-02", probes: 1 }],
  [
    "a missing mailbox",
    [result(1, { replyClass: "mailbox_missing" })],
    { isCatchAll: false, day: "1970-01-02", probes: 1 },
  ],
  ["a disabled mailbox", [result(1, { replyClass: "mailbox_disabled" })], { isCatchAll: null, day: null, probes: 0 }],
  ["no probe", [result(1, { isCatchAll: true }, null)], { isCatchAll: null, day: null, probes: 0 }],
  [
    "a probe of a private node",
    [result(1, { isCatchAll: true }, { ...PROBE, isPrivate: true })],
    { isCatchAll: null, day: null, probes: 0 },
  ],
  [
    "the newest conclusive probe",
    [result(2, { isCatchAll: true }), result(4, {}), result(3, { isCatchAll: false }), result(1, { isCatchAll: true })],
    { isCatchAll: false, day: "1970-01-04", probes: 3 },
  ],
])("%s decides", (_, results, expected) => {
  expect(domainCatchAll(results)).toEqual(expected)
})
