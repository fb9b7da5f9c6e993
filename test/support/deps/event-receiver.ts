import { randomBytes } from "node:crypto"
import { createMemoryRateLimiter, newRateLimiterMemory } from "../../../src/adapters/accounts/isolate-limits.ts"
import type { KeyLimiters } from "../../../src/adapters/accounts/key-limiters.ts"
import { KeyLimiter } from "../../../src/adapters/accounts/limiter-state.ts"
import { createKvReader } from "../../../src/adapters/cache.ts"
import { createAccountErasureStore } from "../../../src/adapters/store/compliance/erasure.ts"
import { createFeedbackStore } from "../../../src/adapters/store/suppression/feedback.ts"
import { createReceiverStore } from "../../../src/adapters/store/suppression/receivers.ts"
import { createSuppressionStore } from "../../../src/adapters/store/suppression/suppression.ts"
import { createResultLists } from "../../../src/adapters/store/verification/results.ts"
import { createFlagCache } from "../../../src/adapters/suppression/flag-cache.ts"
import { createInboundReaders } from "../../../src/adapters/suppression/inbound-readers.ts"
import { createDigests, createSealer } from "../../../src/domain/accounts/crypto.ts"
import type { Rate } from "../../../src/domain/accounts/rate-limits.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { createReceiver, findReceiver, receiveEvents } from "../../../src/services/suppression/provider-events.ts"
import { checkSuppression } from "../../../src/services/suppression/suppression-list.ts"
import { asRequest, type Posted, snsPost, snsSigner, TOPIC } from "../providers/inbound-signers.ts"
import type { startDatabase } from "../stack/database.ts"
import { testContext } from "./context.ts"
import { memoryKv } from "./memory-kv.ts"

/** The time of these receivers, Unix milliseconds. */
export const NOW = Date.UTC(2026, 10, 21, 12)
const PEPPERS = ["p".repeat(32)]
export const signer = snsSigner()

let count = 0
type TestDatabase = Awaited<ReturnType<typeof startDatabase>>

/** A receiver of a new account, with the service's own store. A stub replaces Amazon. */
export async function eventReceiver(database: TestDatabase, provider: "ses" | "mailgun" | "sendgrid", secret: string) {
  const asked: string[] = []
  const { kv } = memoryKv()
  const opened = database.open()
  const clock = { now: () => NOW, sleep: async () => undefined }
  const logged: unknown[] = []
  const counted: unknown[] = []
  const gate = new KeyLimiter(
    {
      now: () => clock.now(),
      findKey: async () => null,
      reserve: () => Promise.reject(),
      saveWindow: () => undefined,
      saveDay: () => undefined,
      saveKey: () => undefined,
      wakeAt: () => undefined,
      clear: async () => undefined,
    },
    { window: [], key: null, day: null },
  )
  const ofAction = () => ({ count: async (rate: Rate, n?: number) => gate.count(rate, n) })
  const ctx = testContext({
    clock,
    log: (event: string, fields: object) => void logged.push({ event, ...fields }),
    counters: { count: (name: string, by?: number) => void counted.push([name, by]) },
    digests: await createDigests(PEPPERS),
    sealer: await createSealer(PEPPERS, randomBytes),
    randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    randomToken: () => crypto.randomUUID(),
    keyLimiters: { ofAction } as unknown as KeyLimiters,
    memoryRateLimiter: createMemoryRateLimiter(newRateLimiterMemory(), { now: () => clock.now() }),
    flags: createFlagCache(kv, createKvReader(kv), clock.now),
    inbound: createInboundReaders(async (url) => {
      asked.push(url)
      return new Response(url.endsWith(".pem") ? signer.certificate : "<ConfirmSubscriptionResponse/>")
    }),
    store: {
      suppressions: createSuppressionStore(opened),
      accountErasures: createAccountErasureStore(opened),
      feedback: createFeedbackStore(opened),
      receivers: createReceiverStore(opened),
      resultLists: createResultLists(opened),
    },
  })
  const accountId = `acc_in_${count++}`
  const { token, receiverId } = await createReceiver(ctx, { accountId, provider, secret })
  const post = async (posted: Posted, more: Partial<typeof ctx> = {}) => {
    const found = await findReceiver(ctx, { provider, token, clientIp: undefined })
    return receiveEvents({ ...ctx, ...more }, found, asRequest(posted, NOW))
  }
  const reasonOf = async (email: string) =>
    (await checkSuppression(ctx, accountId, parseAddress(email) as ValidAddress))[0]?.suppression.reason ?? null
  return { ctx, accountId, receiverId, post, reasonOf, asked, logged, counted, opened }
}

/** A notification of SNS about one event of SES. */
export const notification = (event: object, MessageId: string) =>
  snsPost(
    signer.sign({
      Type: "Notification",
      MessageId,
      TopicArn: TOPIC,
      Message: JSON.stringify(event),
      Timestamp: new Date(NOW).toISOString(),
    }),
  )
