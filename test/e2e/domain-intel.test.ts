import { expect, test } from "vitest"
import { newKey } from "../support/stack/account.ts"
import { call } from "../support/stack/api.ts"
import { untilStored, verifyAndStore } from "../support/stack/stored.ts"

const at = (template: string, value: string) =>
  call("GET", template, { at: template.replace("{domain}", encodeURIComponent(value)) })

test("/domain-intel needs no key and names no mailbox", async () => {
  await call("GET", "/score", { at: "/score?email=erin@mailbox.test" })
  await untilStored("erin@mailbox.test")
  const { body, text } = await at("/domain-intel/{domain}", "mailbox.test")
  expect(body).toMatchObject({ domain: "mailbox.test", is_corporate: true, dns: { mx_valid: true } })
  expect((body.verifications as { valid: number }).valid).toBeGreaterThan(0)
  expect(text).not.toContain("@")
})

test.each([
  ["catch-all.test", "dora+intel@catch-all.test", true],
  ["d0330.test", "user1@d0330.test", false],
  ["d0331.test", "no-1@d0331.test", false],
  ["catch-all-unclear.test", "alice@catch-all-unclear.test", null],
  ["refused.test", "alice@refused.test", null],
])("/domain-intel of %s knows the catch-all result of stored probes", async (domain, email, is_catch_all) => {
  await verifyAndStore(await newKey(), email)
  const { body } = await at("/domain-intel/{domain}", domain)
  const isKnown = is_catch_all !== null
  expect(body).toMatchObject({
    is_catch_all,
    catch_all_checked_on: isKnown ? expect.stringMatching(/^\d{4}-\d\d-\d\d$/) : null,
  })
  expect((body.catch_all_probes as number) > 0).toBe(isKnown)
})
