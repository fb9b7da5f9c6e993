import type { RecipientOutcome } from "../../schema/wire/probe.ts"
import type { ChunkMessage } from "../../schema/wire/queue.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import type { NodeLine } from "../../src/adapters/probes/dispatch.ts"
import type { Probes } from "../../src/adapters/probes/probes.ts"
import { createChargeStore } from "../../src/adapters/store/charges.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createJobChunks } from "../../src/adapters/store/job-chunks.ts"
import { createJobIntake } from "../../src/adapters/store/job-intake.ts"
import { createJobStore } from "../../src/adapters/store/jobs.ts"
import { createResultLists } from "../../src/adapters/store/result-lists.ts"
import { createResultStore } from "../../src/adapters/store/results.ts"
import type { Deps } from "../../src/deps.ts"
import { createDigests } from "../../src/domain/keys/digest.ts"
import { dnsZone, type Zone } from "./dns-zone.ts"

/** What a mail server says to RCPT, by the local part before its first digit. */
const REPLIES: Readonly<Record<string, RecipientOutcome>> = {
  user: reply(250, "2.1.5", "ok"),
  late: reply(451, "4.7.1", "greylisted, come back in a second"),
}
const MISSING = reply(550, "5.1.1", "no such user")

export interface BulkBench {
  readonly needs: Deps
  /** Messages the queue was given and nobody has taken yet. */
  readonly sent: ChunkMessage[]
  /** Addresses asked about, once for each time. */
  readonly asked: string[]
}

/** The needs of bulk services over a real database; DNS, mail servers and the queue are made up. */
export async function bulkNeeds(
  open: () => Database,
  { zone, leaseMs }: { zone: Zone; leaseMs: number },
): Promise<BulkBench> {
  const database = open()
  const sent: ChunkMessage[] = []
  const asked: string[] = []
  const made: Partial<Deps> = {
    clock: systemClock,
    randomToken: () => crypto.randomUUID().replaceAll("-", "").slice(0, 22),
    randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
    log: () => undefined,
    background: () => undefined,
    digests: await createDigests(["a pepper of at least 32 characters"]),
    dns: dnsZone(zone),
    probes: madeUpProbes(asked),
    results: createResultStore(database),
    resultLists: createResultLists(database),
    jobs: createJobStore(database),
    jobIntake: createJobIntake(database),
    jobChunks: createJobChunks(database),
    charges: createChargeStore(database),
    chunkQueue: { send: async (messages) => void sent.push(...messages) },
    bulk: { leaseMs, retryDelaysMs: [50, 50] },
    cache: { get: async () => null, put: async () => undefined, delete: async () => undefined },
    presentCached: () => ({ json: "{}", canSend: false }) as ReturnType<Deps["presentCached"]>,
  }
  return { needs: made as Deps, sent, asked }
}

function madeUpProbes(asked: string[]): Probes {
  return {
    count: async () => 1,
    owner: async () => null,
    forAccount: () => madeUpProbes(asked),
    async ask({ groups }) {
      const recipients = groups.flatMap((group) => group.recipients)
      asked.push(...recipients.map(({ address }) => address))
      async function* lines(): AsyncGenerator<NodeLine> {
        for (const { index, address } of recipients) {
          await new Promise((resolve) => setTimeout(resolve, Math.random()))
          const outcome = REPLIES[/^[a-z]+/.exec(address)?.[0] ?? ""] ?? MISSING
          const line = { type: "recipient" as const, index, outcome, control: MISSING, session: null, attempts: [] }
          yield { ...line, totalMs: 1, nodeId: "made-up", region: "here", isPrivate: false, isSuspect: false }
        }
      }
      return { kind: "lines", lines: lines() }
    },
  }
}

function reply(code: number, enhanced: string, text: string): RecipientOutcome {
  return { kind: "reply", stage: "rcpt", reply: { code, enhanced, text, ms: 1 } }
}
