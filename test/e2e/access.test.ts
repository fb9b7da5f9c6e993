import { beforeAll, describe, expect, inject, test } from "vitest"
import type { ErrorCode } from "../../src/error-codes.ts"
import { ACCESS_WORDS, type AccessWord } from "../../src/http/endpoint.ts"
import { ENDPOINTS } from "../../src/routes/index.ts"
import { inventedKey, newKey, newPublishableKey, SHOP, withKey } from "../support/stack/account.ts"
import { type Answer, type CallInit, callUnchecked } from "../support/stack/api.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

const CREDENTIALS = [
  "nothing",
  "a malformed key",
  "an unknown key",
  "a revoked key",
  "a key",
  "another account's key",
  "a publishable key",
  "a session",
  "an unknown session",
  "the admin secret",
  "a wrong admin secret",
] as const
type Credential = (typeof CREDENTIALS)[number]

/** The decision of the access check. "in": the call passed it, whatever the endpoint answers. */
type Decision = "in" | ErrorCode
const INVALID_CREDENTIALS = {
  "a malformed key": "key_refused",
  "an unknown key": "key_refused",
  "a revoked key": "key_refused",
  "an unknown session": "session_expired",
  "a wrong admin secret": "admin_required",
} as const
const ONLY_FORMS = { "a publishable key": "key_restricted" } as const
const MEMBERS = { "a key": "in", "another account's key": "in", "a session": "in" } as const
const NO_KEY = { nothing: "key_missing", "the admin secret": "key_missing" } as const
const NOT_ADMIN = {
  nothing: "admin_required",
  "a key": "admin_required",
  "another account's key": "admin_required",
  "a session": "admin_required",
} as const

const EXPECTED: Readonly<Record<AccessWord, Readonly<Record<Credential, Decision>>>> = {
  public: {
    ...(Object.fromEntries(CREDENTIALS.map((name) => [name, "in"])) as Record<Credential, Decision>),
    ...ONLY_FORMS,
  },
  "publishable-key": {
    ...INVALID_CREDENTIALS,
    ...{ "a key": "forbidden", "another account's key": "forbidden" },
    ...{ "a session": "forbidden", "the admin secret": "forbidden" },
    ...{ "a publishable key": "in", nothing: "key_missing" },
  },
  "key-optional": { ...INVALID_CREDENTIALS, ...MEMBERS, ...ONLY_FORMS, nothing: "in", "the admin secret": "in" },
  key: { ...INVALID_CREDENTIALS, ...MEMBERS, ...ONLY_FORMS, ...NO_KEY },
  session: {
    ...INVALID_CREDENTIALS,
    ...ONLY_FORMS,
    ...NO_KEY,
    ...{ "a key": "session_required", "another account's key": "session_required", "a session": "in" },
  },
  "key-or-admin": { ...INVALID_CREDENTIALS, ...MEMBERS, ...ONLY_FORMS, ...NO_KEY, "the admin secret": "in" },
  admin: { ...INVALID_CREDENTIALS, ...NOT_ADMIN, ...ONLY_FORMS, "the admin secret": "in" },
}

/** Public endpoints with another proof than an account: a provider's signature or a sign-in token. */
const OWN_PROOF =
  /^POST \/(billing\/stripe-webhook|bounce\/\w+|webhooks\/(sendgrid|mailgun|postmark|ses)|auth\/verify)$|^GET \/auth\/google\/me$/
/** Each ends the session of the call. */
const ENDS_THE_SESSION = ["POST /auth/logout", "DELETE /me/sessions"]
/** These endpoints accept any body, and would change what other suites rely on. */
const CHANGES_EVERYTHING =
  /^POST \/(ml\/train|ml\/rollback|catchall-classifier\/train|gdpr\/purge|admin\/(reverify|update-\w+))$/

/** Every invalid key gets the same text. An expired session may get its own. */
const REFUSAL_TEXTS = [
  "the API key is invalid or revoked",
  "the request has no API key (mv_live_…), and its session is invalid or expired",
]

const HEADERS_OF = {} as Record<Credential, Record<string, string>>
let networks = 0
/** A separate network for each call, because refusals are limited by network. */
const fromNewNetwork = () => ({ "x-real-ip": `10.77.${networks >> 8}.${networks++ & 255}` })

beforeAll(async () => {
  const [own, other, revoked] = await Promise.all([newKey(), newKey(), newKey()])
  const publishable = await newPublishableKey(own)
  const session = await sessionOf("access@inbox.test")
  await callUnchecked(`/keys/${revoked.keyId}`, withKey(revoked, { method: "DELETE" }))
  Object.assign(HEADERS_OF, {
    nothing: {},
    "a malformed key": { "x-api-key": "mv_live_nonsense" },
    "an unknown key": { "x-api-key": inventedKey() },
    "a revoked key": { "x-api-key": revoked.secret },
    "a key": { "x-api-key": own.secret },
    "another account's key": { authorization: `Bearer ${other.secret}` },
    "a publishable key": { "x-api-key": publishable.secret, origin: SHOP },
    "a session": { authorization: `Bearer ${session}` },
    "an unknown session": { authorization: `Bearer ${"s".repeat(43)}` },
    "the admin secret": { "x-admin-secret": inject("adminSecret") },
    "a wrong admin secret": { "x-admin-secret": "guess".repeat(8) },
  } satisfies typeof HEADERS_OF)
})

async function credentialHeaders(credential: Credential, call: string): Promise<Record<string, string>> {
  if (credential !== "a session" || !ENDS_THE_SESSION.includes(call)) return HEADERS_OF[credential]
  return { authorization: `Bearer ${await sessionOf("access-ends@inbox.test")}` }
}

/** A call without a usable input: the endpoint refuses it, or finds nothing. */
function harmless(method: string, path: string, headers: Record<string, string>): [string, CallInit] {
  const at = path.replace(/\{\w+\}/g, "none")
  return [at, { method, headers: { ...headers, "content-type": "application/x-nothing" }, redirect: "manual" }]
}

const endpoints = ENDPOINTS.map(({ access, route }) => ({
  access,
  method: route.method.toUpperCase(),
  path: route.path,
}))

interface Problem {
  readonly detail: unknown
  readonly code: ErrorCode
}

/** The decision of the access check, by the answer. Checks the headers and texts of every refusal. */
function decisionOf(call: string, word: AccessWord, { status, body, headers }: Answer<Problem>): Decision {
  expect(status).not.toBe(500)
  const isRefused = (status === 401 && !OWN_PROOF.test(call)) || status === 403
  if (word === "public") return isRefused ? body.code : "in"
  if (status === 401) expect(REFUSAL_TEXTS).toContain(body.detail)
  if (!isRefused && word !== "key-optional") expect(headers.get("cache-control")).toBe("no-store")
  return isRefused ? body.code : "in"
}

describe.each(ACCESS_WORDS)("%s", (word) => {
  const own = endpoints.filter(({ access }) => access === word)
  test.each(own)("$method $path", async ({ method, path }) => {
    const call = `${method} ${path}`
    const credentials = CREDENTIALS.filter((name) => EXPECTED[word][name] !== "in" || !CHANGES_EVERYTHING.test(call))
    const found: [Credential, Decision][] = []
    for (const credential of credentials) {
      const [at, init] = harmless(method, path, { ...fromNewNetwork(), ...(await credentialHeaders(credential, call)) })
      found.push([credential, decisionOf(call, word, await callUnchecked<Problem>(at, init))])
    }
    expect(found).toEqual(credentials.map((name) => [name, EXPECTED[word][name]]))
  })
})

test("an Authorization header of ours must be valid, however it is written", async () => {
  const { secret } = await newKey()
  const answers = ["Bearer", `bearer  ${secret}`, secret, `Bearer ${secret} twice`, "Basic cHJveHk6cHJveHk="].map(
    async (authorization) => {
      const answer = await callUnchecked("/validate/syntax?email=a@mailbox.test", { headers: { authorization } })
      return [answer.status, answer.headers.get("cache-control")]
    },
  )
  const refused = [401, null]
  const asMember = [200, "no-store"]
  const asStranger = [200, null]
  expect(await Promise.all(answers)).toEqual([refused, asMember, asMember, refused, asStranger])
})
