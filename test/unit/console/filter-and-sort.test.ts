import { expect, test } from "vitest"
import { STATUSES } from "../../../schema/vocabulary.ts"
import {
  FILTERS,
  nextSort,
  passes,
  readSort,
  sorted,
  writeSort,
} from "../../../src/console/pages/lists/filter-and-sort.ts"
import { passes as passesInFile, RESULT_FILTERS } from "../../../src/domain/lists/download.ts"

const BOTH = [false, true]
const VERDICT = { subStatus: null, smtpStatus: "accepted", isCatchAll: null, finding: null, reply: null } as const

test("the table of a list shows what a download of the same filter has", () => {
  expect(FILTERS.map(([filter]) => filter).toSorted()).toEqual(RESULT_FILTERS.toSorted())
  for (const status of STATUSES)
    for (const canSend of BOTH)
      for (const isDisposable of BOTH)
        for (const isRole of BOTH)
          for (const isFree of BOTH) {
            const kinds = { is_disposable: isDisposable, is_role_account: isRole, is_free_provider: isFree }
            const lists = { isDisposable, isRole, isFree }
            const shown = FILTERS.filter(([filter]) => passes(filter, { status, can_send: canSend, ...kinds }))
            const saved = FILTERS.filter(([filter]) =>
              passesInFile(filter, { verdict: { ...VERDICT, status }, canSend, evidence: { lists } }),
            )
            expect(shown).toEqual(saved)
          }
})

const row = (email: string, status: "valid" | "invalid" | "unknown", score: number) => ({
  ...{ email, status, score, provider: email.length > 3 ? "Google" : "Other", can_send: score > 60 },
})
const ROWS = [row("b@x", "unknown", 50), row("c@xy", "valid", 90), row("a@x", "invalid", 50)]
const emails = (text: string) => sorted(ROWS, readSort(text)).map(({ email }) => email.slice(0, 1))

test.each([
  ["", "bca"],
  ["email", "abc"],
  ["-email", "cba"],
  // Equal rows stay in the order of the list, in both directions.
  ["score", "bac"],
  ["-score", "cba"],
  ["status", "cba"],
  ["-can_send", "cba"],
  ["provider", "cba"],
  ["-provider", "bac"],
  ["password", "bca"],
])("sorted by %j: %s", (text, expected) => {
  expect(emails(text).join("")).toBe(expected)
})

test("a heading turns up, down and off", () => {
  const first = nextSort(null, "score")
  const second = nextSort(first, "score")
  expect([writeSort(first), writeSort(second), writeSort(nextSort(second, "score"))]).toEqual(["score", "-score", ""])
  expect(writeSort(nextSort(second, "email"))).toBe("email")
})
