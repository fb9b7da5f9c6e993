import { expect, test } from "vitest"
import { nameOf } from "../../../src/console/pages/accounts/words.ts"

test.each([
  ["owner@example.org", "owner@example.org"],
  ["", "acc_1"],
  [null, "acc_1"],
])("an account whose owner is %j is named %s", (owner_email, expected) => {
  expect(nameOf({ account_id: "acc_1", owner_email })).toBe(expected)
})
