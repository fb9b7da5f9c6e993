import { expect, test } from "vitest"
import { operatorName, providerWords } from "../../../src/console/operator-names.ts"
import { OPERATOR_NAMES } from "../../../src/domain/smtp-reply/operators.ts"

test.each([
  ["google", "Google"],
  ["gmx", "GMX"],
  ["icloud", "iCloud"],
  ["microsoft365", "Microsoft 365"],
  ["yahoo-japan", "Yahoo Japan"],
  ["web.de", "web.de"],
  ["mx.mailbox.test", "mx.mailbox.test"],
])("the operator %s is named %s", (operator, name) => {
  expect(operatorName(operator)).toBe(name)
  expect(providerWords(operator)).toBe(name)
})

test("no two operators have the same name, and none shows digits behind letters", () => {
  const names = [...OPERATOR_NAMES].map(operatorName)
  expect(new Set(names).size).toBe(OPERATOR_NAMES.size)
  expect(names.filter((name) => /[a-z]\d|_/.test(name))).toEqual([])
})

test.each([
  ["other", "not a known provider"],
  ["none", "none"],
])("the provider %s is no operator", (provider, words) => {
  expect(providerWords(provider)).toBe(words)
})
