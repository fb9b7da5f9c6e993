import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { createKvReader } from "../../../src/adapters/cache.ts"
import { createAccountErasureStore } from "../../../src/adapters/store/compliance/erasure.ts"
import type { Database } from "../../../src/adapters/store/database.ts"
import { createFeedbackStore } from "../../../src/adapters/store/suppression/feedback.ts"
import { createSuppressionStore } from "../../../src/adapters/store/suppression/suppression.ts"
import { createResultLists } from "../../../src/adapters/store/verification/results.ts"
import { createFlagCache } from "../../../src/adapters/suppression/flag-cache.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import type { Fact } from "../../../src/domain/suppression/feedback.ts"
import { recordFeedback } from "../../../src/services/suppression/feedback.ts"
import { findAccountFlags } from "../../../src/services/suppression/flags.ts"
import { flagsAtEdge } from "../stack/flags-at-edge.ts"
import { testContext } from "./context.ts"
import { memoryKv } from "./memory-kv.ts"

export const START = Date.UTC(2026, 10, 21, 12)
export const HOUR_MS = 3_600_000

let count = 0

/** A new account that reports feedback to the given database, with an edge and a clock of its own. */
export async function feedbackAccount(opened: Database) {
  let now = START
  const clock = { now: () => now, sleep: async () => undefined }
  const { kv } = memoryKv()
  const ctx = testContext({
    clock,
    digests: await createDigests(["p".repeat(32)]),
    randomToken: () => crypto.randomUUID(),
    flags: createFlagCache(kv, createKvReader(kv), clock.now),
    store: {
      suppressions: createSuppressionStore(opened),
      accountErasures: createAccountErasureStore(opened),
      feedback: createFeedbackStore(opened),
      resultLists: createResultLists(opened),
    },
  })
  const accountId = `acc_fb_${count++}`
  const record = (facts: readonly Fact[], origin: "caller" | "provider" = "caller") =>
    recordFeedback(ctx, { accountId, facts, origin })
  const accountFlags = (email: string, of = accountId) =>
    findAccountFlags(ctx, { accountId: of, address: parseAddress(email) as ValidAddress })
  const edgeFlags = (email: string) => flagsAtEdge(ctx, { accountId, address: parseAddress(email) as ValidAddress })
  const turn = (ms: number) => {
    now += ms
  }
  return { ctx, accountId, record, accountFlags, edgeFlags, turn, opened }
}

export const fact = (email: string, kind: FeedbackKind, more: Partial<Fact> = {}): Fact => ({
  address: parseAddress(email) as ValidAddress,
  kind,
  source: "api",
  code: null,
  at: null,
  id: null,
  ...more,
})
