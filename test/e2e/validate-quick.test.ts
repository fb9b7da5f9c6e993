import { describe, expect, test } from "vitest"
import { newKey, usedCredits, withKey } from "../support/stack/account.ts"
import { getByEmail } from "../support/stack/get-by-email.ts"
import { untilStored } from "../support/stack/stored.ts"

const quick = (email: string, init = {}) => getByEmail("/validate/quick", email, init)

describe("/validate/quick without a stored result", () => {
  test.each([
    ["user1@d0210.test", "unknown", true, "the domain accepts mail; the mailbox itself was not probed"],
    ["no-1@d0210.test", "unknown", true, "the domain accepts mail; the mailbox itself was not probed"],
    [
      "quick@implicit-mx.test",
      "unknown",
      true,
      "the domain has no MX record, so mail goes to its own address; the mailbox itself was not probed",
    ],
    ["quick@mx-unresolvable.test", "unknown", false, "no mail host of the domain has an address"],
    ["quick@null-mx.test", "invalid", false, "the domain accepts no mail (null MX)"],
    ["quick@no-such-domain.test", "invalid", false, "the domain does not exist"],
    ["a..b@mailbox.test", "invalid_syntax", false, 'The part before the "@" has two dots in a row.'],
  ])("%s is %s", async (email, status, mx_valid, note) => {
    const { body } = await quick(email)
    expect(body).toMatchObject({ status, mx_valid, note, cached: false, verified_at: null })
  })
})

describe("/validate/quick after a verification", () => {
  test.each([
    ["no-1@d0211.test", "invalid"],
    ["user1@d0211.test", "valid"],
    ["anyone-quick@catch-all.test", "accept_all"],
  ])("%s is %s, with the time of the stored result", async (email, status) => {
    const { body } = await getByEmail<{ checks: Record<string, unknown> }>("/validate", email)
    await untilStored(email)
    const { verified_at, mx_valid, mx_kind, mx_records, tld_exists } = body.checks
    expect((await quick(email)).body).toEqual({
      ...{
        email,
        repaired: [],
        did_you_mean: null,
        syntax_valid: true,
        ...{ mx_valid, mx_kind, mx_records, tld_exists },
        status,
        cached: true,
        verified_at,
      },
      note: `stored result of ${verified_at}; no mail server was probed now`,
    })
  })

  test("a stored result costs neither a credit nor a request of the minute", async () => {
    const key = withKey(await newKey("free"), {})
    await getByEmail("/validate", "user2@d0211.test")
    await untilStored("user2@d0211.test")
    for (let n = 0; n < 12; n++) expect((await quick("user2@d0211.test", key)).body.cached).toBe(true)
    expect((await quick("user3@d0211.test", key)).headers.get("ratelimit")).toMatch(/^"rpm";r=9;/)
  })

  test("DNS alone costs no credit", async () => {
    const key = await newKey()
    await quick("user4@d0211.test", withKey(key))
    expect(await usedCredits(key)).toBe(0)
  })
})
