import { describe, expect, test } from "vitest"
import { FORM_REASONS } from "../../../src/domain/form/decide.ts"
import { chooseLanguage, FORM_LANGUAGES, messageFor, suggestionLabel } from "../../../src/domain/form/messages.ts"

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
