import { parse } from "csv-parse/sync"
import { beforeAll, describe, expect, test } from "vitest"
import { withKey } from "../support/stack/account.ts"
import { type CallInit, call, callUnchecked, postJson } from "../support/stack/api.ts"
import { getByEmail } from "../support/stack/get-by-email.ts"
import { type Account, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"
import { untilStored } from "../support/stack/stored.ts"

const EMAIL = "user1@d0221.test"
/** A text and what is removed around its address. */
const GIVEN = [
  [EMAIL, []],
  [` ${EMAIL}\n`, ["whitespace"]],
  [`\u200b${EMAIL}\ufeff`, ["zero_width"]],
  [`mailto:${EMAIL}?subject=Hi`, ["mailto"]],
  [`${EMAIL}.`, ["trailing_dot"]],
  [`\u00a0MailTo:${EMAIL}.\u2060`, ["whitespace", "zero_width", "mailto", "trailing_dot"]],
] as const
/** Another mailbox may be meant, so these are only suggested. */
const SUGGESTED = [
  ["us er1@d0221.test", EMAIL],
  ["user1\u200b@d0221.test", EMAIL],
  [`${EMAIL}..`, EMAIL],
  ["mailto:user1%40d0221.test", EMAIL],
  ["mailto:user1%2Bnews@d0221.test", "user1+news@d0221.test"],
  ["<user1@d0221.test", EMAIL],
] as const
const NAMED = [`Ann Lee <${EMAIL}>`, `"Lee, Ann" <${EMAIL}>`, `<${EMAIL}>`] as const

let account: Account
beforeAll(async () => {
  account = await newAccount()
  await getByEmail("/validate", EMAIL, withKey(account))
  await untilStored(EMAIL)
})

/** What an endpoint says about the text of a call. */
interface Said {
  readonly email?: unknown
  readonly repaired: unknown
  readonly did_you_mean?: unknown
}
interface Answer extends Said {
  readonly checks: Said
  readonly results: readonly (Said & { readonly checks: Said })[]
  readonly job_id: string
}
type Ask = (given: string) => Promise<Said>

const get = async (path: string, given: string) => (await getByEmail<Answer>(path, given, withKey(account))).body
const post = async (path: string, body: unknown, init: CallInit = {}) =>
  (await call<Answer>("POST", path, withKey(account, { ...postJson(body), ...init }))).body
const done = async ({ job_id }: Answer) => (await waitForJobEnd(job_id, account.headers)).results!
const postJsonOf = (path: string, more: object) => (given: string) => post(path, { email: given, ...more })
const reported = (path: string) => async (given: string) =>
  (await call<Answer>("POST", path, withKey(account, { at: `${path}?email=${encodeURIComponent(given)}` }))).body

const SINGLE: Readonly<Record<string, Ask>> = {
  "GET /validate": (given) => get("/validate", given),
  "GET /validate, checks": async (given) => (await get("/validate", given)).checks,
  "POST /validate": postJsonOf("/validate", {}),
  "GET /validate/checks": async (given) => (await get("/validate/checks", given)).checks,
  "POST /validate/checks": async (given) => (await post("/validate/checks", { email: given })).checks,
  "GET /validate/with-score": (given) => get("/validate/with-score", given),
  "GET /validate/quick": (given) => get("/validate/quick", given),
  "GET /validate/syntax": (given) => get("/validate/syntax", given),
  "GET /verify/typo": (given) => get("/verify/typo", given),
  "GET /verify/quick": (given) => get("/verify/quick", given),
}
const LISTS: Readonly<Record<string, Ask>> = {
  "POST /validate/bulk": async (given) => (await post("/validate/bulk", { emails: [given] })).results[0]!,
  "POST /validate/bulk/turbo": async (given) =>
    (await post("/validate/bulk/turbo", { emails: [given] })).results[0]!.checks,
  "POST /validate/bulk/async": async (given) =>
    (await done(await post("/validate/bulk/async", { emails: [given] })))[0]!.checks,
  "POST /bulk/upload": async (given) => {
    const headers = { "content-type": "text/csv" }
    const body = `name,email\nAnn,"${given.replaceAll('"', '""')}"\n`
    return (await done(await post("/bulk/upload", null, { headers, body })))[0]!.checks
  },
}
const WITHOUT_SUGGESTION: Readonly<Record<string, Ask>> = {
  "GET /validate/fast": async (given) => (await get("/validate/fast", given)).checks,
  "POST /resolve-catchall": async (given) => (await post("/resolve-catchall", { email: given })).checks,
  "GET /suppression/check": (given) => get("/suppression/check", given),
  "POST /suppression/add": postJsonOf("/suppression/add", { reason: "manual" }),
  "POST /bounce": postJsonOf("/bounce", { bounce_type: "soft_bounce" }),
  "POST /feedback/report": postJsonOf("/feedback/report", { correct: true }),
  "POST /delivered": reported("/delivered"),
  "POST /feedback/opened": reported("/feedback/opened"),
  "POST /received": reported("/received"),
}

describe("what surrounds an address is removed and reported", () => {
  test.each(Object.entries({ ...SINGLE, ...LISTS, ...WITHOUT_SUGGESTION }))("%s", async (_, ask) => {
    for (const [given, repaired] of GIVEN) {
      const { email = EMAIL, repaired: said, did_you_mean = null } = await ask(given)
      expect({ given, email, said, did_you_mean }).toEqual({ given, email: EMAIL, said: repaired, did_you_mean: null })
    }
  })

  test("a cached answer has the repairs of its own call", async () => {
    for (const [given, repaired] of [...GIVEN, ...GIVEN]) {
      const { checks } = (await getByEmail<Answer>("/validate/fast", given)).body
      expect(checks).toMatchObject({ cached: true, repaired })
    }
  })
})

describe("everything else is invalid, with the address that was meant", () => {
  test.each(Object.entries({ ...SINGLE, ...LISTS }))("%s", async (_, ask) => {
    for (const [given, meant] of SUGGESTED) {
      const said = { ...(await ask(given)) }
      expect(said).toMatchObject({ repaired: [], did_you_mean: meant })
    }
  })

  test("also a typo of a domain in a list", async () => {
    const [{ checks }, answer] = [
      (await post("/validate/bulk/turbo", { emails: ["ann@gmial.com"] })).results[0]!,
      await post("/validate/bulk", { emails: ["ann@gmial.com"] }),
    ]
    expect([checks, answer.results[0]]).toMatchObject(Array(2).fill({ did_you_mean: "ann@gmail.com", repaired: [] }))
  })

  test.each([
    ["GET", "/suppression/check"],
    ["GET", "/gdpr/export"],
    ["POST", "/delivered"],
  ])("%s %s refuses it and names that address", async (method, path) => {
    const at = `${path}?email=${encodeURIComponent(`Ann <${EMAIL}>`)}`
    const { status, body } = await call(method, path, withKey(account, { at }))
    expect(status).toBe(400)
    expect(body.detail).toMatch(`Did you mean ${EMAIL}?`)
  })
})

describe("a display name", () => {
  test.each(Object.entries(LISTS))("is read in %s", async (_, ask) => {
    for (const given of NAMED) expect(await ask(given)).toMatchObject({ email: EMAIL, repaired: [], status: "valid" })
  })

  test.each(Object.entries(SINGLE))("is suggested by %s", async (_, ask) => {
    for (const given of NAMED) expect(await ask(given)).toMatchObject({ repaired: [], did_you_mean: EMAIL })
  })
})

describe("lists", () => {
  test("a download has the repairs and the suggestion of each row", async () => {
    const body = `email\n${EMAIL}\n" ${EMAIL} "\nmailto:${EMAIL}\n${EMAIL}..\n`
    const { job_id } = await post("/bulk/upload", null, { headers: { "content-type": "text/csv" }, body })
    await waitForJobEnd(job_id, account.headers)
    const { text } = await callUnchecked(`/bulk/download/${job_id}`, { headers: account.headers })
    const rows = parse(text, { columns: true }) as Record<string, string>[]
    expect(rows.map(({ status, repaired, did_you_mean }) => [status, repaired, did_you_mean])).toEqual([
      ["valid", "", ""],
      ["valid", "whitespace", ""],
      ["valid", "mailto", ""],
      ["invalid_syntax", "", EMAIL],
    ])
  })

  test("/utils/dedup, /suppression/import and /received/batch count the repaired addresses", async () => {
    const emails = [EMAIL, ` ${EMAIL} `, `mailto:${EMAIL}`, `Ann <${EMAIL}>`, "user2@d0221.test."]
    expect(await post("/utils/dedup", emails)).toMatchObject({
      ...{ unique: 2, repaired: 3, emails: [EMAIL, "user2@d0221.test"] },
      groups: [{ canonical: EMAIL, kept: EMAIL, emails: emails.slice(0, 4) }],
    })
    const headers = { "content-type": "text/csv" }
    const body = `email\n${emails.join("\n")}\n`
    expect(await post("/suppression/import", null, { headers, body })).toMatchObject({ duplicates: 3, repaired: 3 })
    expect(await post("/received/batch", { emails })).toMatchObject({ processed: 5, repaired: 3 })
  })
})

test("an entry made with white space is the entry of the address, and its removal", async () => {
  const { headers } = await newAccount()
  const email = "user3@d0221.test"
  await call("POST", "/suppression/add", {
    ...postJson({ email: ` ${email}`, reason: "manual" }),
    headers: { ...headers, "content-type": "application/json" },
  })
  const { body } = await getByEmail<Answer>("/validate", email, { headers })
  expect(body.checks).toMatchObject({ can_send: false, repaired: [] })
  const at = `/suppression/${encodeURIComponent(`${email}. `)}`
  const removed = await call("DELETE", "/suppression/{email}", { at, headers })
  expect(removed.body).toMatchObject({ status: "removed", repaired: ["whitespace", "trailing_dot"] })
  expect((await getByEmail("/suppression/check", email, { headers })).body.is_suppressed).toBe(false)
  const erased = await call("DELETE", "/gdpr/erase", { at: `/gdpr/erase?email=%20${email}.`, headers })
  expect(erased.body).toMatchObject({ complete: true })
})
