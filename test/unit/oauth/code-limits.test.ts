import { expect, test } from "vitest"
import { createMemoryRateLimiter, newRateLimiterMemory } from "../../../src/adapters/accounts/isolate-limits.ts"
import { createDigests, sha256 } from "../../../src/domain/accounts/crypto.ts"
import { authorize, type Rate, type Window } from "../../../src/domain/accounts/rate-limits.ts"
import { beginDeviceSignIn } from "../../../src/services/oauth/device.ts"
import { exchangeAuthorizationCode, pollDeviceCode } from "../../../src/services/oauth/token.ts"
import { testContext } from "../../support/deps/context.ts"

const NOW = Date.UTC(2026, 10, 29)
const CLIENT = "mailverdict-cli"
const [NETWORK, OTHER] = ["192.0.2.1", "192.0.2.2"]

/** A service where each code belongs to a waiting program. */
async function service() {
  const clock = { now: () => NOW, sleep: async () => undefined }
  const windows = new Map<string, Window>()
  const counts = { reads: 0, writes: 0, codes: 0 }
  const waiting = { userCodeDigest: "u", state: "pending", challenge: null, intervalSeconds: 5, expiresAt: NOW + 1 }
  const clientHash = await sha256(CLIENT)
  const ctx = testContext({
    clock,
    digests: await createDigests(["p".repeat(32)]),
    randomToken: () => "token",
    randomBytes: (length: number) => new Uint8Array(length),
    memoryRateLimiter: createMemoryRateLimiter(newRateLimiterMemory(), clock),
    keyLimiters: {
      ofAction: (action: string) => ({
        count: async (rate: Rate) => {
          const counted = authorize(windows.get(action) ?? [], rate, { now: NOW })
          if (counted.accepted) windows.set(action, counted.window)
          return counted
        },
      }),
    },
    store: {
      oauthGrants: {
        add: async () => void counts.codes++,
        byCode: async (codeDigest: string) => {
          counts.reads++
          return { ...waiting, codeDigest, clientHash, polledAt: counts.reads === 1 ? null : NOW }
        },
        recordPoll: async () => void counts.writes++,
      },
    },
  } as never)
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "ok",
      (error: { code: string }) => error.code,
    )
  const begin = (clientIp?: string) =>
    codeOf(beginDeviceSignIn(ctx, { clientId: CLIENT, scope: undefined, name: undefined, clientIp }))
  const poll = (clientIp?: string) => codeOf(pollDeviceCode(ctx, { code: "code", clientId: CLIENT, clientIp }))
  const exchange = (clientIp?: string) => {
    const presented = { code: "code", clientId: CLIENT, clientIp }
    return codeOf(exchangeAuthorizationCode(ctx, { ...presented, redirectUri: undefined, verifier: undefined }))
  }
  return { begin, poll, exchange, counts }
}

async function repeated(times: number, call: () => Promise<string>): Promise<Record<string, number>> {
  const answers: string[] = []
  for (let n = 0; n < times; n++) answers.push(await call())
  return Object.fromEntries([...Map.groupBy(answers, String)].map(([answer, all]) => [answer, all.length]))
}

test("a network's polls of one code are read to its limit, and one of them is written", async () => {
  const { poll, exchange, counts } = await service()
  const answers = await repeated(350, () => poll(NETWORK))
  expect(answers).toEqual({ authorization_pending: 1, slow_down: 299, free_work_exceeded: 50 })
  expect(await exchange(NETWORK)).toBe("free_work_exceeded")
  expect(counts).toMatchObject({ reads: 300, writes: 1 })
  expect(await poll(OTHER)).toBe("slow_down")
  expect(await exchange(OTHER)).toBe("invalid_grant")
})

test("clients without a known network share a limit that suits many programs", async () => {
  const { poll, counts } = await service()
  expect(await repeated(3_001, () => poll())).toMatchObject({ free_work_exceeded: 1 })
  expect(counts.reads).toBe(3_000)
  expect(await poll(NETWORK)).toBe("slow_down")
})

test("the 20 codes of one client leave the sign-in open to other clients without a known network", async () => {
  const { begin, counts } = await service()
  expect(await repeated(61, () => begin())).toEqual({ ok: 60, free_work_exceeded: 1 })
  expect(await repeated(21, () => begin(NETWORK))).toEqual({ ok: 20, free_work_exceeded: 1 })
  expect(counts.codes).toBe(80)
})
