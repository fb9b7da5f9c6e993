import { beforeAll, describe, expect, inject, test } from "vitest"
import type { Received } from "../support/providers/hook-receiver.ts"
import { newKey } from "../support/stack/account.ts"
import { type CallInit, call, callUnchecked, postJson } from "../support/stack/api.ts"
import { mailedToken } from "../support/stack/mailed-link.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

type Headers = Record<string, string>

let token = ""
let key = ""
beforeAll(async () => {
  token = await sessionOf("cookie@inbox.test")
  key = (await newKey()).secret
})

const cookieOf = (session: string): Headers => ({ cookie: `__Host-sid=${session}` })

const CREDENTIALS = {
  "a cookie": () => cookieOf(token),
  "a session as a bearer token": () => ({ authorization: `Bearer ${token}` }),
  "a key": () => ({ "x-api-key": key }),
  "a cookie and a key": () => ({ ...cookieOf(token), "x-api-key": key }),
  "a cookie and a session as a bearer token": () => ({ ...cookieOf(token), authorization: `Bearer ${token}` }),
  nothing: () => ({}),
} satisfies Record<string, () => Headers>
type Credential = keyof typeof CREDENTIALS

const json = (body: object): CallInit => ({ ...postJson(body) })

/** Calls with each method, of endpoints with and without a required account. */
const CALLS: readonly { readonly method: string; readonly path: string; readonly init: CallInit }[] = [
  { method: "GET", path: "/validate/syntax", init: { at: "/validate/syntax?email=a@mailbox.test" } },
  { method: "POST", path: "/validate", init: json({ email: "no address" }) },
  { method: "GET", path: "/auth/me", init: {} },
  { method: "GET", path: "/suppression/check", init: { at: "/suppression/check?email=a@mailbox.test" } },
  { method: "POST", path: "/suppression/add", init: json({ email: "cookie-added@mailbox.test", reason: "manual" }) },
  { method: "DELETE", path: "/keys/{key_id}", init: { at: "/keys/kid_none" } },
]
const NEEDS_NO_ACCOUNT = ["/validate/syntax", "/validate"]

/** How the service classified the caller. */
type TakenFor = "the account" | "anonymous" | "refused"

async function takenFor({ method, path, init }: (typeof CALLS)[number], headers: Headers): Promise<TakenFor> {
  const {
    status,
    headers: answered,
    body,
  } = await call(method, path, { ...init, headers: { ...init.headers, ...headers } })
  if (status === 401 && headers.cookie !== undefined)
    expect(body.detail).toBe(
      "the session cookie is ignored on a request from another site or origin; send the session token as a bearer token",
    )
  if (status === 401) return "refused"
  expect(status).not.toBe(403)
  return answered.get("cache-control") === "no-store" ? "the account" : "anonymous"
}

describe.each([
  { site: undefined, isOurs: true },
  { site: "same-origin", isOurs: true },
  { site: "none", isOurs: true },
  { site: "same-site", isOurs: false },
  { site: "cross-site", isOurs: false },
])("Sec-Fetch-Site: $site", ({ site, isOurs }) => {
  test.each(CALLS)("$method $path", async (one) => {
    const without = NEEDS_NO_ACCOUNT.includes(one.path) ? "anonymous" : "refused"
    const found: Partial<Record<Credential, TakenFor>> = {}
    for (const [credential, show] of Object.entries(CREDENTIALS)) {
      const metadata: Headers = site === undefined ? {} : { "sec-fetch-site": site }
      found[credential as Credential] = await takenFor(one, { ...show(), ...metadata, origin: inject("stackUrl") })
    }
    expect(found).toEqual({
      "a cookie": isOurs ? "the account" : without,
      "a session as a bearer token": "the account",
      "a key": "the account",
      "a cookie and a key": "the account",
      "a cookie and a session as a bearer token": "the account",
      nothing: without,
    } satisfies Record<Credential, TakenFor>)
  })
})

test("a sign-in sets a cookie that works only from our own origin, also without Fetch Metadata", async () => {
  const email = "cookie-origin@inbox.test"
  const { headers } = postJson({ email })
  const asked = { ...postJson({ email }), headers: { ...headers, "x-real-ip": "10.79.0.1" } }
  expect((await call("POST", "/auth/request", asked)).status).toBe(200)
  const verified = await callUnchecked("/auth/verify", postJson({ token: await mailedToken(email) }))
  const cookie = verified.headers.get("set-cookie") ?? ""
  expect(cookie).toMatch(/^__Host-sid=\S+; .*Path=\/.*HttpOnly.*Secure.*SameSite=Strict/i)
  const own = { cookie: cookie.split(";")[0]! }
  expect((await call("GET", "/auth/me", { headers: own })).body).toMatchObject({ email })
  const foreign = { ...own, origin: "https://evil.example" }
  expect((await call("POST", "/auth/logout", { headers: foreign })).status).toBe(403)
  expect((await call("POST", "/auth/logout", { headers: own })).status).toBe(403)
  // Behind a proxy that hides the public name, the console's origin is still that of BASE_URL.
  const unnamed = `${inject("stackUrl").replace("127.0.0.1", "localhost")}/auth/logout`
  const signOut = (headers: Headers) => fetch(unnamed, { method: "POST", headers })
  expect((await signOut(foreign)).status).toBe(403)
  expect((await signOut({ ...own, origin: inject("stackUrl") })).status).toBe(200)
})

describe("a request from another site with an account's cookie", () => {
  /** An account that has suppressed an address which can receive mail. */
  async function suppressing(email: string) {
    const session = await sessionOf(`cookie-${crypto.randomUUID().slice(0, 8)}@inbox.test`)
    const bearer = { authorization: `Bearer ${session}` }
    const entry = postJson({ email, reason: "manual" })
    const added = await call("POST", "/suppression/add", { ...entry, headers: { ...entry.headers, ...bearer } })
    expect(added.status).toBe(200)
    return { bearer, own: cookieOf(session), foreign: { ...cookieOf(session), "sec-fetch-site": "cross-site" } }
  }

  test("spends no credit and adds no history entry", async () => {
    const email = "alice+cookie-history@mailbox.test"
    const { bearer, own, foreign } = await suppressing(email)
    const validate = (headers: Headers) =>
      call("GET", "/validate", { at: `/validate?email=${encodeURIComponent(email)}`, headers })
    expect((await validate(foreign)).body).toMatchObject({ checks: { can_send: true } })
    expect((await call("GET", "/me/recent-verifications", { headers: bearer })).body).toMatchObject({
      verifications: [],
    })
    expect((await call("GET", "/usage", { headers: bearer })).body).toMatchObject({ credits_used: 0 })
    expect((await validate(own)).body).toMatchObject({ checks: { can_send: false } })
  })

  test("sends no account data to a webhook", async () => {
    const email = "alice+cookie-hook@mailbox.test"
    const { own, foreign } = await suppressing(email)
    const sentTo = async (name: string, headers: Headers): Promise<object> => {
      const hook = `${inject("providerUrls").hooks}/${name}-${crypto.randomUUID()}`
      const query = new URLSearchParams({ email, webhook_url: hook })
      expect((await callUnchecked(`/verify/quick?${query}`, { headers })).status).toBe(200)
      const received = async () => (await (await fetch(hook)).json()) as Received[]
      await expect.poll(received).toHaveLength(1)
      return JSON.parse((await received())[0]!.body).data
    }
    expect(await sentTo("foreign", foreign)).toMatchObject({ can_send: true })
    expect(await sentTo("own", own)).toMatchObject({ can_send: false })
  })
})
