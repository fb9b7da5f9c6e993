import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createGoogleIdentity } from "../../../src/adapters/accounts/google-identity.ts"
import { type Given, type StubServer, startStub } from "../../support/providers/stub-server.ts"

let keys: Awaited<ReturnType<typeof generateKeyPair>>
let server: StubServer
/** The keys that an isolate has read. */
const cached = {}
/** Responses of Google's key endpoint, by path. */
const ANSWERS: Readonly<Record<string, Given>> = {
  "/broken": { status: 500, text: "try again" },
  "/html": { status: 200, text: "<html>" },
  "/empty": { status: 200, json: {} },
}

beforeAll(async () => {
  keys = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "RS256", use: "sig" }
  server = await startStub(({ path }) => ANSWERS[path] ?? { status: 200, json: { keys: [jwk] } })
})
afterAll(() => server.stop())

const verify = async (claims: object, path = "/certs", { kid = "k1", known = cached as object } = {}) => {
  const token = new SignJWT({ email: "person@gmail.com", email_verified: true, ...claims })
    .setProtectedHeader({ alg: "RS256", kid })
    .setSubject("1234567890")
    .setIssuedAt()
    .setIssuer("https://accounts.google.com")
    .setAudience("our-client")
    .setExpirationTime("5m")
  const google = { clientId: "our-client", authUrl: "https://google.test/", jwksUrl: `${server.url}${path}` }
  return createGoogleIdentity({ google }, known)!.verify(await token.sign(keys.privateKey))
}

test.each(Object.keys(ANSWERS))("unreadable keys (%s) say nothing about a token", async (path) => {
  await expect(verify({}, path)).rejects.toMatchObject({ code: "unavailable" })
})

test.each([
  [{ email: "person@gmail.com" }, true],
  [{ email: "person@googlemail.com" }, true],
  [{ email: "person@company.test", hd: "company.test" }, true],
  [{ email: "person@company.test" }, false],
  [{ email: "person@notgmail.com" }, false],
  [{ email: "person@company.test", hd: "" }, false],
])("%o: Google hosts the mailbox: %s", async (claims, isHosted) => {
  expect(await verify(claims)).toMatchObject({ email: claims.email, isHosted })
})

test.each<[string, boolean]>([
  ["without any keys", false],
  ["with keys of a minute ago", true],
])("of many tokens with unknown keys, one fetches the keys, %s", async (_, hasKeys) => {
  const known = {}
  if (hasKeys) {
    await verify({}, "/certs", { known })
    // jose fetches keys of half a minute ago again for an unknown key.
    Object.assign(known, { uat: Date.now() - 60_000 })
  }
  const before = server.calls.length
  const invented = Array.from({ length: 20 }, (_, n) => verify({}, "/certs", { known, kid: `invented-${n}` }))
  expect(await Promise.all([...invented, verify({}, "/certs", { known })])).toEqual([
    ...Array.from({ length: 20 }, () => null),
    expect.objectContaining({ email: "person@gmail.com" }),
  ])
  expect(server.calls.length - before).toBe(1)
})
