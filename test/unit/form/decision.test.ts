import { describe, expect, test } from "vitest"
import {
  chooseLanguage,
  decideForForm,
  FORM_LANGUAGES,
  FORM_REASONS,
  type FormEvidence,
  messageFor,
  needsMailServer,
  suggestionLabel,
} from "../../../src/domain/form/decision.ts"

/** An address of a domain that accepts mail, whose mailbox is unknown. */
const UNVERIFIED: FormEvidence = {
  syntaxValid: true,
  suggestion: null,
  isDisposable: false,
  isRole: false,
  acceptsMail: true,
  status: null,
}

describe("decideForForm", () => {
  test.each<[about: string, Partial<FormEvidence>, action: string, reason: string]>([
    ["an unknown mailbox", {}, "ok", "unverified"],
    ["an accepted mailbox", { status: "valid" }, "ok", "accepted"],
    ["a catch-all domain", { status: "accept_all" }, "ok", "unverified"],
    ["an unclear verdict", { status: "unknown" }, "ok", "unverified"],
    ["a missing mailbox", { status: "invalid" }, "block", "no_mailbox"],
    ["a malformed address", { syntaxValid: false, acceptsMail: null }, "fix", "invalid_syntax"],
    ["a malformed address with a suggestion", { syntaxValid: false, suggestion: "a@b.test" }, "fix", "invalid_syntax"],
    ["a typo", { suggestion: "a@gmail.com", acceptsMail: false }, "fix", "typo"],
    ["a typo, also when its mailbox is missing", { suggestion: "a@gmail.com", status: "invalid" }, "fix", "typo"],
    ["a typo in a disposable domain", { suggestion: "a@gmail.com", isDisposable: true }, "fix", "typo"],
    ["a disposable address", { isDisposable: true, status: "valid" }, "block", "disposable"],
    ["a disposable address without DNS", { isDisposable: true, acceptsMail: null }, "block", "disposable"],
    ["a domain without mail", { acceptsMail: false, status: "invalid" }, "block", "no_mail_server"],
    ["a role account", { isRole: true, status: "valid" }, "warn", "role"],
    ["a role account that does not exist", { isRole: true, status: "invalid" }, "block", "no_mailbox"],
    ["DNS without an answer", { acceptsMail: null }, "ok", "no_answer"],
    ["a role account without DNS", { isRole: true, acceptsMail: null }, "warn", "role"],
    ["an accepted mailbox without DNS", { status: "valid", acceptsMail: null }, "ok", "accepted"],
  ])("%s", (_, evidence, action, reason) => {
    const suggestion = evidence.suggestion ?? null
    expect(decideForForm({ ...UNVERIFIED, ...evidence })).toEqual({ action, reason, suggestion })
  })

  test("a missing answer never blocks: without DNS and verdict only the lists do", () => {
    for (const isDisposable of [true, false])
      for (const isRole of [true, false])
        for (const suggestion of ["a@b.test", null])
          for (const status of [null, "unknown"] as const) {
            const evidence = { syntaxValid: true, acceptsMail: null, suggestion, isDisposable, isRole, status }
            const { action, reason } = decideForForm(evidence)
            expect(action === "block").toBe(reason === "disposable")
          }
  })
})

test.each<[Partial<FormEvidence>, boolean]>([
  [{}, true],
  [{ isRole: true }, true],
  [{ acceptsMail: null }, true],
  [{ acceptsMail: false }, false],
  [{ isDisposable: true }, false],
  [{ suggestion: "a@gmail.com" }, false],
  [{ syntaxValid: false }, false],
  [{ status: "valid" }, false],
  [{ status: "unknown" }, false],
])("%j needs the mail server: %s", (evidence, expected) => {
  const known = { ...UNVERIFIED, ...evidence }
  expect(needsMailServer(known, decideForForm(known))).toBe(expected)
})

test.each([
  [["pt-BR", "en"], "pt"],
  [["DE-at"], "de"],
  [["fi", "sv;q=0.5", "sv"], "sv"],
  [["zh-Hant-TW"], "zh"],
  [["fi"], "en"],
  [["*"], "en"],
  [["", "constructor", "__proto__"], "en"],
  [[], "en"],
])("%j: %s", (tags, expected) => {
  expect(chooseLanguage(tags)).toBe(expected)
})

describe.each(FORM_LANGUAGES)("%s", (language) => {
  test("has a short message of its own for each reason that a form shows", () => {
    const shown = FORM_REASONS.map((reason) => messageFor(reason, language)).filter((message) => message !== null)
    expect(new Set(shown).size).toBe(6)
    for (const message of shown) {
      expect(message).toMatch(/[.。]$/)
      expect(message.length).toBeLessThan(100)
      if (language !== "en") expect(FORM_REASONS.map((reason) => messageFor(reason, "en"))).not.toContain(message)
    }
  })

  test("asks whether the suggestion was meant, as it is written", () => {
    expect(suggestionLabel("a$&b@gmail.com", language)).toMatch(/a\$&b@gmail\.com.*[?？]|[?:].*a\$&b@gmail\.com\?/)
  })
})

test("there are twelve languages", () => {
  expect(FORM_LANGUAGES).toHaveLength(12)
})
