import { createHash } from "node:crypto"
import { sql } from "drizzle-orm"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { randomBytes, randomToken, systemClock } from "../../src/adapters/platform.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createOAuthGrantStore } from "../../src/adapters/store/accounts/oauth-grants.ts"
import { createSessionStore } from "../../src/adapters/store/accounts/sessions.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import type { Context } from "../../src/context.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { registerClient } from "../../src/services/oauth/clients.ts"
import { decideAuthorization } from "../../src/services/oauth/consent.ts"
import { beginDeviceSignIn, decideDeviceSignIn } from "../../src/services/oauth/device.ts"
import { exchangeAuthorizationCode, pollDeviceCode } from "../../src/services/oauth/token.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

const PEPPER = "a pepper of at least 32 characters"
const VERIFIER = "v".repeat(43)
const REDIRECT = "https://app.example/cb"
const clock = { ...systemClock, time: Date.UTC(2026, 10, 29), now: () => clock.time }

let server: Awaited<ReturnType<typeof startDatabase>>
let ctx: Context
let caller: Member
const contextWith = async (...peppers: string[]) => {
  const database = server.open()
  return testContext({
    clock,
    randomBytes,
    randomToken,
    config: { baseUrl: "https://service.example" },
    digests: await createDigests(peppers),
    memoryRateLimiter: { reserve: () => true, giveBack: () => undefined },
    keyLimiters: {
      ofKey: () => ({ invalidate: async () => undefined }),
      ofAction: () => ({ count: async () => ({ accepted: true, remaining: 1, resetMs: 0 }) }),
    },
    store: {
      oauthGrants: createOAuthGrantStore(database, clock),
      keys: createKeyStore(database),
      operator: createOperatorStore(database),
      sessions: createSessionStore(database, clock),
    },
  })
}

beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

beforeEach(async () => {
  ctx = await contextWith(PEPPER)
  const accountId = `acc_${randomToken()}`
  await ctx.store.sessions.accountOf(`${accountId}@mailbox.test`, accountId)
  await ctx.store.sessions.create(randomToken(), { accountId, signInKeyId: null })
  const allowance = { perMinute: null, perMonth: null }
  caller = { kind: "member", accountId, keyId: null, email: null, tier: "free", subject: accountId, allowance }
})

async function approvedCode() {
  const { clientId } = await registerClient(ctx, { name: "app", redirectUris: [REDIRECT] })
  const code_challenge = createHash("sha256").update(VERIFIER).digest("base64url")
  const asked = { response_type: "code", code_challenge, code_challenge_method: "S256" }
  const request = { client_id: clientId, redirect_uri: REDIRECT, ...asked }
  const back = await decideAuthorization(ctx, { caller, request, approve: true })
  const code = new URL(back).searchParams.get("code") ?? ""
  return { code, clientId, redirectUri: REDIRECT, verifier: VERIFIER, clientIp: undefined }
}

async function approvedDevice() {
  const asked = { clientId: "mailverdict-cli", scope: "verify", name: "laptop", clientIp: undefined }
  const { deviceCode, userCode } = await beginDeviceSignIn(ctx, asked)
  const approve = () => decideDeviceSignIn(ctx, { caller, typed: userCode, approve: true })
  return { approve, poll: () => pollDeviceCode(ctx, { ...asked, code: deviceCode }) }
}

const refused = (code: string) => expect.objectContaining({ code })
const ownKeys = () => ctx.store.keys.list(caller.accountId, "2026-11")

test("an authorization code ends after two minutes", async () => {
  const [early, late] = [await approvedCode(), await approvedCode()]
  clock.time += 119_999
  await exchangeAuthorizationCode(ctx, early)
  clock.time += 1
  await expect(exchangeAuthorizationCode(ctx, late)).rejects.toEqual(refused("invalid_grant"))
  expect(await ownKeys()).toHaveLength(1)
})

test("a device code ends after 15 minutes, approved or not, and its user code with it", async () => {
  const [approved, waiting] = [await approvedDevice(), await approvedDevice()]
  await approved.approve()
  clock.time += 900_000
  for (const { poll } of [approved, waiting]) await expect(poll()).rejects.toEqual(refused("expired_token"))
  await expect(waiting.approve()).rejects.toEqual(refused("not_found"))
  expect(await ownKeys()).toEqual([])
})

test("each early poll lengthens the wait by five seconds", async () => {
  const { approve, poll } = await approvedDevice()
  const outcomes: [waitSeconds: number, code: string][] = [
    [0, "authorization_pending"],
    [4, "slow_down"],
    [9, "slow_down"],
    [15, "authorization_pending"],
  ]
  for (const [waitSeconds, code] of outcomes) {
    clock.time += waitSeconds * 1_000
    await expect(poll()).rejects.toEqual(refused(code))
  }
  await approve()
  clock.time += 15_000
  expect(await poll()).toMatchObject({ accountId: caller.accountId, scopes: "verify" })
})

test("a flood of early polls is not stored, so it lengthens no wait", async () => {
  const { poll } = await approvedDevice()
  await expect(poll()).rejects.toEqual(refused("authorization_pending"))
  clock.time += 1_000
  for (let n = 0; n < 5; n++) await expect(poll()).rejects.toEqual(refused("slow_down"))
  clock.time += 4_000
  await expect(poll()).rejects.toEqual(refused("authorization_pending"))
})

test("of many uses at once one succeeds, and its key ends", async () => {
  const exchange = await approvedCode()
  const uses = await Promise.allSettled(Array.from({ length: 5 }, () => exchangeAuthorizationCode(ctx, exchange)))
  expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  expect(await ownKeys()).toMatchObject([{ isActive: false }])
})

test("codes and registrations outlast a change of the pepper", async () => {
  const exchange = await approvedCode()
  const device = await approvedDevice()
  ctx = await contextWith("the pepper after, of 32 characters", PEPPER)
  await exchangeAuthorizationCode(ctx, exchange)
  await device.approve()
  await device.poll()
  expect(await ownKeys()).toHaveLength(2)
})

test("an account without a session and another key gets no key any more", async () => {
  const exchange = await approvedCode()
  await ctx.store.sessions.endAll(caller.accountId, null)
  await expect(exchangeAuthorizationCode(ctx, exchange)).rejects.toEqual(refused("invalid_grant"))
  expect(await ownKeys()).toEqual([])
})

test("the table holds neither a code nor the id of a client", async () => {
  const { code, clientId } = await approvedCode()
  const rows = JSON.stringify(await server.open().all(sql`SELECT * FROM oauth_grants`))
  expect(rows).toContain(REDIRECT)
  expect(rows).not.toContain(code)
  expect(rows).not.toContain(clientId)
})
