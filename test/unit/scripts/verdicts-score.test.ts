import { expect, test } from "vitest"
import { type Part, scoreReply } from "../../../scripts/bench/verdicts/parts.ts"
import { quotesOf, reportOf, reportOfParts, rowOf } from "../../../scripts/bench/verdicts/report.ts"
import { countOutcomes, score, TRUTHS, type Truth, type Verdict } from "../../../scripts/bench/verdicts/score.ts"
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

test("a reply is right with any of its classes, and grave when another class changes the verdict for the worse", () => {
  const outcomeAs = (classes: Parameters<typeof scoreReply>[0]["classes"], line: string) =>
    scoreReply({ source: "made", classes, line }).outcome
  const missing = "550 5.1.1 user unknown"
  expect(outcomeAs(["mailbox_missing"], missing)).toBe("right")
  expect(outcomeAs(["temporary", "mailbox_missing"], missing)).toBe("right")
  expect(outcomeAs(["mailbox_disabled"], missing)).toBe("cautious")
  expect(outcomeAs(["refuses_us"], missing)).toBe("grave")
  expect(outcomeAs(["temporary"], "250 2.1.5 Ok")).toBe("unproven")
  expect(outcomeAs(["mailbox_missing"], "250 2.1.5 Ok")).toBe("grave")
  expect(outcomeAs(["mailbox_missing"], "451 4.3.0 try again later")).toBe("cautious")
})

const PARTS: readonly Part[] = [
  {
    name: "letters",
    problem: null,
    cases: [
      { kind: "a", outcome: "right", about: "first" },
      { kind: "b", outcome: "cautious", about: "second" },
      { kind: "a", outcome: "grave", about: "third" },
    ],
  },
  { name: "servers", cases: [], problem: "not measured" },
]

test("the report of the parts counts outcomes by kind, and lists grave cases before cautious ones", () => {
  expect(reportOfParts(PARTS).split("\n").slice(2)).toEqual([
    "| letters | a | 2 | 1 | 0 | 0 | 1 |",
    "| letters | b | 1 | 0 | 1 | 0 | 0 |",
    "| letters | **all** | 3 | 1 | 1 | 0 | 1 |",
    "| servers | not measured |  |  |  |  |  |",
    "",
    "letters",
    "  grave     third",
    "  cautious  second",
  ])
})

test("the quotes have date and commit, and nothing of a part that was not measured", () => {
  const measuredAt = new Date(Date.UTC(2026, 10, 29, 23, 59))
  expect(quotesOf(PARTS, { measuredAt, commit: "0123abcd" }).split("\n")).toEqual([
    "For README.md:",
    "",
    "Measured on November 29, 2026, at commit 0123abcd. Right: 1 of 3 letters. Cautious: 1. Unproven: 0. Grave: 1.",
    "",
    "For docs/comparison.md:",
    "",
    "Measured on November 29, 2026, at commit 0123abcd:",
    "",
    "| Cases | Number | Right | Cautious | Unproven | Grave |",
    "|---|---|---|---|---|---|",
    "| letters | 3 | 1 | 1 | 0 | 1 |",
  ])
})
