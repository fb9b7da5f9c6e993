import { expect, test } from "vitest"
import { call } from "../support/stack/api.ts"

test.each([
  ["alice@mailbox.test", null, null],
  ["alice@gmail.comm", false, "alice@gmail.com"],
  ["alice@qz-company.qzq", false, null],
  ["alice@qz-company.com", true, null],
  ["alice@пример.рф", true, null],
  ["not an address", null, null],
])("tld_exists of %s is the same in all answers", async (email, tld_exists, did_you_mean) => {
  const ask = async (path: string, more = "") =>
    (await call("GET", path, { at: `${path}?email=${encodeURIComponent(email)}${more}` })).body
  expect(await ask("/validate/syntax")).toMatchObject({ tld_exists, did_you_mean })
  expect(await ask("/validate/quick")).toMatchObject({ tld_exists })
  expect(await ask("/validate", "&smtp=false")).toMatchObject({ did_you_mean, checks: { tld_exists } })
  const words = await ask("/validate/checks", "&smtp=false&view=normalized")
  const word = tld_exists === null ? "unknown" : tld_exists ? "yes" : "no"
  expect(words).toMatchObject({ checks: { tld_exists: word } })
  if (!email.includes("@")) return
  const domain = email.slice(email.indexOf("@") + 1)
  const dns = await call("GET", "/check/dns", { at: `/check/dns?domain=${encodeURIComponent(domain)}` })
  expect(dns.body).toMatchObject({ tld_exists })
})
