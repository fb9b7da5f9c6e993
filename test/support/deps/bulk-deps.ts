import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { ChunkMessage } from "../../../schema/wire/queue.ts"
import type { NodeLine } from "../../../src/adapters/fleet/dispatch.ts"
import type { Probes } from "../../../src/adapters/fleet/fleet.ts"
import { systemClock } from "../../../src/adapters/platform.ts"
import { createChargeStore, createLeaseStore } from "../../../src/adapters/store/accounts/charges.ts"
import { createAccountErasureStore } from "../../../src/adapters/store/compliance/erasure.ts"
import type { Database } from "../../../src/adapters/store/database.ts"
import { createJobChunks } from "../../../src/adapters/store/lists/job-chunks.ts"
import { createJobIntake } from "../../../src/adapters/store/lists/job-intake.ts"
import { createJobLimits } from "../../../src/adapters/store/lists/job-limits.ts"
import { createJobStore } from "../../../src/adapters/store/lists/jobs.ts"
import { createResultLists, createResultStore } from "../../../src/adapters/store/verification/results.ts"
import { createWebhookSubscriptionStore } from "../../../src/adapters/store/webhooks/webhook-endpoints.ts"
import type { Context } from "../../../src/context.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { dnsZone, type Zone } from "../mail/dns-zone.ts"
import { testContext } from "./context.ts"
import { mailbox, nodeLine } from "./evidence.ts"

/** Replies of the mail server to RCPT, by the local part before its first digit. */
const REPLIES: Readonly<Record<string, RecipientOutcome>> = {
  user: reply(250, "2.1.5", "ok"),
  late: reply(451, "4.7.1", "greylisted, come back in a second"),
}
/** The pause before each retry. */
export const RETRY_DELAY_MS = 50
const MISSING = reply(550, "5.1.1", "no such user")

export interface BulkBench {
  readonly ctx: Context
  /** Messages in the queue. */
  readonly sent: ChunkMessage[]
  /** Probed addresses, one entry per probe. */
  readonly probed: string[]
  /** Advances the clock, which stands still otherwise. */
  pass(ms: number): void
}

/** Dependencies of the bulk services over a real database. DNS, mail servers and the queue are fakes. */
export async function bulkDeps(
  open: () => Database,
  { zone, leaseMs }: { zone: Zone; leaseMs: number },
): Promise<BulkBench> {
  const database = open()
  const sent: ChunkMessage[] = []
  const probed: string[] = []
  let now = Date.now()
  const ctx = testContext({
    clock: { ...systemClock, now: () => now },
    randomToken: () => crypto.randomUUID().replaceAll("-", "").slice(0, 22),
    randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
    log: () => undefined,
    background: () => undefined,
    digests: await createDigests(["a pepper of at least 32 characters"]),
    dns: dnsZone(zone),
    probes: fakeProbes(probed),
    chunkQueue: { send: async (messages) => void sent.push(...messages) },
    cache: { get: async () => null, put: async () => undefined, delete: async () => undefined },
    store: {
      results: createResultStore(database),
      accountErasures: createAccountErasureStore(database),
      resultLists: createResultLists(database),
      jobs: createJobStore(database),
      webhookSubscriptions: createWebhookSubscriptionStore(database),
      jobIntake: createJobIntake(database),
      jobChunks: createJobChunks(database),
      jobLimits: createJobLimits(database),
      charges: createChargeStore(database),
      leases: createLeaseStore(database),
    },
    config: { bulk: { leaseMs, retryDelaysMs: [RETRY_DELAY_MS, RETRY_DELAY_MS] } },
  })
  return {
    ...{ ctx, sent, probed },
    pass(ms) {
      now += ms
    },
  }
}

function fakeProbes(probed: string[]): Probes {
  return {
    count: async () => 1,
    owner: async () => null,
    async probe({ groups }) {
      const recipients = groups.flatMap((group) => group.recipients)
      probed.push(...recipients.map(({ address }) => address))
      async function* lines(): AsyncGenerator<NodeLine> {
        for (const { index, address } of recipients) {
          // Groups that are probed at once take turns.
          await new Promise(setImmediate)
          const outcome = REPLIES[/^[a-z]+/.exec(address)?.[0] ?? ""] ?? MISSING
          yield nodeLine({ ...mailbox(outcome, MISSING), session: null }, { index })
        }
      }
      return { kind: "lines", lines: lines() }
    },
  }
}

function reply(code: number, enhanced: string, text: string): RecipientOutcome {
  return { kind: "reply", stage: "rcpt", reply: { code, enhanced, text, ms: 1 } }
}
