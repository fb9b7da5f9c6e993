import { expect, test } from "vitest"
import { SANDBOX_ADDRESSES } from "../../../scripts/sandbox/addresses.ts"
import { SANDBOX_EXAMPLES } from "../../../src/console/pages/verification/examples.ts"

test.each(SANDBOX_EXAMPLES)("the console's example %s has the status %s in the sandbox", (email, status) => {
  expect(SANDBOX_ADDRESSES.find(({ address }) => address === email)?.expect.status).toBe(status)
})
