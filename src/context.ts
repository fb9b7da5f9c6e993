import type { GoogleIdentity } from "./adapters/accounts/google-identity.ts"
import type { BodyMemory, MemoryRateLimiter } from "./adapters/accounts/isolate-limits.ts"
import type { KeyLimiters } from "./adapters/accounts/key-limiters.ts"
import type { Mailer } from "./adapters/accounts/mailer.ts"
import type { Payments } from "./adapters/accounts/payments.ts"
import type { BufferedCounters } from "./adapters/admin/counter-buffer.ts"
import type { DatabaseMemory, Disk } from "./adapters/admin/installation-state.ts"
import type { Dns } from "./adapters/dns/resolver.ts"
import type { Fleet, Probes, Rbl } from "./adapters/fleet/fleet.ts"
import type { NodeClient } from "./adapters/fleet/node-client.ts"
import type { Connectors } from "./adapters/integrations/connect.ts"
import type { ChunkQueue } from "./adapters/lists/chunk-queue.ts"
import type { Tables } from "./adapters/lists/tables.ts"
import type { Clock, Log } from "./adapters/platform.ts"
import type { ActiveRules } from "./adapters/reference/active-rules.ts"
import type { ListSources } from "./adapters/reference/list-sources.ts"
import type { CredentialType, Gravatar } from "./adapters/signals/account-lookup.ts"
import type { BreachSource } from "./adapters/signals/breach-source.ts"
import type { Rdap } from "./adapters/signals/rdap.ts"
import type { QueueEntry } from "./adapters/store/database.ts"
import type { Stores } from "./adapters/store/stores.ts"
import type { AnswerWrite } from "./adapters/store/verification/answer-writes.ts"
import type { FlagCache } from "./adapters/suppression/flag-cache.ts"
import type { InboundReaders } from "./adapters/suppression/inbound-readers.ts"
import type { Tracer } from "./adapters/tracing.ts"
import type { Directories } from "./adapters/verification/directories.ts"
import type { FailedFacts, ResultCache } from "./adapters/verification/result-cache.ts"
import type { SingleFlight } from "./adapters/verification/single-flight.ts"
import type { WriteBehind } from "./adapters/verification/write-behind.ts"
import type { Pages, Web } from "./adapters/web-pages.ts"
import type { WebhookDispatcher, WebhookSender } from "./adapters/webhooks/webhook-sender.ts"
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
  readonly queueEntry: QueueEntry
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
