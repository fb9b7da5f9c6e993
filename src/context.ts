import type { ActiveRules } from "./adapters/active-rules.ts"
import type { BodyMemory } from "./adapters/body-memory.ts"
import type { BreachSource } from "./adapters/breach-source.ts"
import type { BufferedCounters } from "./adapters/buffered-counters.ts"
import type { FlagCache } from "./adapters/cache/flag-cache.ts"
import type { ResultCache } from "./adapters/cache/result-cache.ts"
import type { ChunkQueue } from "./adapters/chunk-queue.ts"
import type { Pages } from "./adapters/company-pages.ts"
import type { CredentialType } from "./adapters/credential-type.ts"
import type { DatabaseMemory } from "./adapters/database-memory.ts"
import type { Directories } from "./adapters/directory/directories.ts"
import type { Disk } from "./adapters/disk.ts"
import type { Dns } from "./adapters/dns/resolver.ts"
import type { FailedFacts } from "./adapters/failed-facts.ts"
import type { GoogleIdentity } from "./adapters/google-identity.ts"
import type { Gravatar } from "./adapters/gravatar.ts"
import type { InboundReaders } from "./adapters/inbound/readers.ts"
import type { Connectors } from "./adapters/integrations/connect.ts"
import type { KeyLimiters } from "./adapters/key-limiter/key-limiters.ts"
import type { ListSources } from "./adapters/lists/list-sources.ts"
import type { Mailer } from "./adapters/mailer.ts"
import type { MemoryRateLimiter } from "./adapters/memory-rate-limiter.ts"
import type { Payments } from "./adapters/payments.ts"
import type { Clock, Log } from "./adapters/platform.ts"
import type { Fleet } from "./adapters/probes/fleet.ts"
import type { NodeClient } from "./adapters/probes/node-client.ts"
import type { Probes } from "./adapters/probes/probes.ts"
import type { Rbl } from "./adapters/rbl.ts"
import type { Rdap } from "./adapters/rdap/rdap.ts"
import type { Web } from "./adapters/safe-fetch.ts"
import type { SingleFlight } from "./adapters/single-flight/single-flight.ts"
import type { AnswerWrite } from "./adapters/store/results/answer-writes.ts"
import type { Stores } from "./adapters/store/stores.ts"
import type { Turn } from "./adapters/store/turn.ts"
import type { Tables } from "./adapters/tables/tables.ts"
import type { Tracer } from "./adapters/tracing/tracer.ts"
import type { WebhookDispatcher } from "./adapters/webhook-dispatcher.ts"
import type { WebhookSender } from "./adapters/webhook-sender.ts"
import type { WriteBehind } from "./adapters/write-behind.ts"
import type { CredentialMemory } from "./domain/accounts/credentials.ts"
import type { Config } from "./env.ts"

/** The settings that services, routes and schedules read. The others configure adapters. */
export type ServiceConfig = Pick<
  Config,
  | "adminSecret"
  | "baseUrl"
  | "bulk"
  | "canaryEveryMs"
  | "clientIpHeader"
  | "edgePublicKey"
  | "fleetRules"
  | "limits"
  | "logLevel"
  | "hasSandbox"
  | "givenSettings"
  | "providerUrls"
  | "recheckDelaysMs"
  | "trustedAccounts"
  | "webhookRules"
>

/** The adapters and settings of one request, queue batch or cron run. The caller is not part of it. */
export interface Context {
  readonly config: ServiceConfig
  readonly store: Stores
  /** Stores what belongs to an answer after the answer, together with that of other requests. */
  readonly writeBehind: WriteBehind<AnswerWrite>
  /** The place of this request in the queue for the database. */
  readonly turn: Turn
  readonly clock: Clock
  readonly log: Log
  readonly tracer: Tracer
  readonly randomToken: () => string
  readonly randomBytes: (n: number) => Uint8Array
  readonly digests: Config["digests"]
  readonly sealer: Config["sealer"]
  /** Continues the work after the response. */
  readonly background: (work: Promise<unknown>) => void
  readonly dns: Dns
  readonly probes: Probes
  readonly fleet: Fleet
  readonly nodeClient: NodeClient
  readonly rbl: Rbl
  readonly rdap: Rdap
  readonly web: Web
  readonly gravatar: Gravatar
  readonly pages: Pages
  /** Null when it is not configured. */
  readonly credentialType: CredentialType | null
  readonly directories: Directories
  /** Null when none is configured. */
  readonly breachService: BreachSource | null
  readonly cache: ResultCache
  /** The flags of addresses, as the edge caches them. */
  readonly flags: FlagCache
  readonly keyLimiters: KeyLimiters
  readonly singleFlight: SingleFlight
  readonly memoryRateLimiter: MemoryRateLimiter
  readonly bodyMemory: BodyMemory
  /** Hashes of credentials that this isolate has accepted, and may since be revoked, or that it looks up. */
  readonly knownCredentials: CredentialMemory
  /** What this isolate last learned about its database. */
  readonly databaseMemory: DatabaseMemory
  readonly disk: Disk
  readonly failedFacts: FailedFacts
  readonly chunkQueue: ChunkQueue
  readonly tables: Tables
  readonly inbound: InboundReaders
  readonly mailer: Mailer
  /** Null when sign-in with Google is not configured. */
  readonly google: GoogleIdentity | null
  /** Null when payments are not configured. */
  readonly payments: Payments | null
  readonly webhookSender: WebhookSender
  readonly webhookDispatcher: WebhookDispatcher | null
  readonly connectors: Connectors
  /** Counters of the whole service. */
  readonly counters: BufferedCounters
  /** Requests by route and status. */
  readonly requestCounters: BufferedCounters
  readonly listSources: ListSources
  readonly activeRules: ActiveRules
}
