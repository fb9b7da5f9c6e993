import { expect, test } from "vitest"
import { reportOf, rowOf } from "../../../scripts/bench/peers/report.ts"
import { countOutcomes, score, TRUTHS, type Truth, type Verdict } from "../../../scripts/bench/peers/score.ts"
import { SANDBOX_ADDRESSES } from "../../../scripts/sandbox/addresses.ts"

const ADDRESS = "alice@mailbox.test"
const outcome = (truth: Truth, verdict: Verdict) =>
  score([{ address: ADDRESS, verdict, raw: "" }], { [ADDRESS]: truth })[0]!.outcome

test("every sandbox address has a truth, and no other address has one", () => {
  expect(Object.keys(TRUTHS).toSorted()).toEqual(SANDBOX_ADDRESSES.map(({ address }) => address).toSorted())
})

test("the truth is right, and unknown is cautious where there is one", () => {
  expect(outcome("exists", "deliverable")).toBe("right")
  expect(outcome("exists", "unknown")).toBe("cautious")
  expect(outcome("missing", "undeliverable")).toBe("right")
  expect(outcome("missing", "unknown")).toBe("cautious")
})

test("unknown is right where nothing can be known, and deliverable is unproven", () => {
  expect(outcome("cannot be known", "unknown")).toBe("right")
  expect(outcome("cannot be known", "deliverable")).toBe("unproven")
})

test("the opposite of the truth is grave, and so is giving up a mailbox that may exist", () => {
  expect(outcome("exists", "undeliverable")).toBe("grave")
  expect(outcome("missing", "deliverable")).toBe("grave")
  expect(outcome("cannot be known", "undeliverable")).toBe("grave")
})

test("a verdict that is always unknown is never grave, and right only where nothing can be known", () => {
  const answers = Object.keys(TRUTHS).map((address) => ({ address, verdict: "unknown" as const, raw: "" }))
  const unknowable = Object.values(TRUTHS).filter((truth) => truth === "cannot be known").length
  expect(countOutcomes(score(answers, TRUTHS))).toEqual({
    right: unknowable,
    cautious: answers.length - unknowable,
    unproven: 0,
    grave: 0,
  })
})

test("an address without a truth is an error that names it", () => {
  expect(() => score([{ address: "new@mailbox.test", verdict: "unknown", raw: "" }], TRUTHS)).toThrow(
    "new@mailbox.test: add its truth",
  )
})

test("the report has a row for each verifier, the reason of a missing one, and each answer that is not right", () => {
  const answers = [
    { address: ADDRESS, verdict: "deliverable" as const, raw: "valid" },
    { address: "alice@tempfail.test", verdict: "undeliverable" as const, raw: "450\nlater" },
  ]
  const rows = [
    { name: "one", version: "1.0.0", seconds: 1.23, answers, problem: null },
    { name: "two", version: "2.0.0", seconds: 0, answers: [], problem: "not available: no compiler" },
  ].map(rowOf)
  expect(reportOf(rows).split("\n")).toEqual([
    "| verifier | version | right | cautious | unproven | grave | seconds |",
    "|---|---|---|---|---|---|---|",
    "| one | 1.0.0 | 1 | 0 | 0 | 1 | 1.2 |",
    "| two | 2.0.0 | not available: no compiler |  |  |  |  |",
    "",
    "one",
    "  grave     alice@tempfail.test             cannot be known; says undeliverable: 450 later",
  ])
})
