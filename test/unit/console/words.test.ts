import { expect, test } from "vitest"
import { nameOf } from "../../../src/console/pages/admin/accounts-pages.tsx"
import { FEATURE_WORDS } from "../../../src/console/pages/learning/model-page.tsx"
import { decimal, operatorName, percent, providerWords } from "../../../src/console/words.ts"
import { FEATURES } from "../../../src/domain/learning/features.ts"
import { OPERATOR_NAMES } from "../../../src/domain/smtp-reply/operators.ts"

test.each([
  [0, 1, "0%"],
  [1 / 2_100, 1, "under 0.1%"],
  [0.001, 1, "0.1%"],
  [0.123, 1, "12.3%"],
  [0.999, 1, "99.9%"],
  [2_099 / 2_100, 1, "over 99.9%"],
  [1, 1, "100%"],
  [1.2, 1, "120.0%"],
  [0.004, 0, "under 1%"],
  [0.996, 0, "over 99%"],
])("a share of %d with %d digits", (share, digits, words) => {
  expect(percent(share, digits)).toBe(words)
})

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

test("every feature of the model has words of its own", () => {
  expect(Object.keys(FEATURE_WORDS).toSorted()).toEqual([...FEATURES].toSorted())
  expect(new Set(Object.values(FEATURE_WORDS)).size).toBe(FEATURES.length)
})

test.each([
  [-0.416, "−0.42"],
  [-0.001, "0.00"],
  [1.5, "1.50"],
])("a weight of %d", (weight, words) => {
  expect(decimal(weight, 2)).toBe(words)
})

test.each([
  ["owner@example.org", "owner@example.org"],
  ["", "acc_1"],
  [null, "acc_1"],
])("an account whose owner is %j is named %s", (owner_email, expected) => {
  expect(nameOf({ account_id: "acc_1", owner_email })).toBe(expected)
})
