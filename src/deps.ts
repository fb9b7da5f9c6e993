import type { BreachSource } from "./adapters/breach/breach-source.ts"
import type { MarkCache } from "./adapters/cache/mark-cache.ts"
import type { PresentedResult, ResultCache } from "./adapters/cache/result-cache.ts"
import type { Courier } from "./adapters/courier/courier.ts"
import type { CredentialType } from "./adapters/credential-type/credential-type.ts"
import type { Directories } from "./adapters/directory/directories.ts"
import type { Dns } from "./adapters/dns/resolver.ts"
import type { Flights } from "./adapters/flights/flights.ts"
import type { Gravatar } from "./adapters/gravatar/gravatar.ts"
import type { GoogleIdentity } from "./adapters/identity/google.ts"
import type { InboundReaders } from "./adapters/inbound/readers.ts"
import type { Connectors } from "./adapters/integrations/connect.ts"
import type { Gates } from "./adapters/keygate/gates.ts"
import type { Meter } from "./adapters/keygate/meter.ts"
import type { CurrentLists } from "./adapters/lists/current-lists.ts"
import type { ListSources } from "./adapters/lists/list-sources.ts"
import type { Mailer } from "./adapters/mailer/mailer.ts"
import type { MinuteBook } from "./adapters/minute-book.ts"
import type { Pages } from "./adapters/pages/company-pages.ts"
import type { Payments } from "./adapters/payments/stripe.ts"
import type { Clock, Log } from "./adapters/platform.ts"
import type { Fleet } from "./adapters/probes/fleet.ts"
import type { NodeDoor } from "./adapters/probes/node-door.ts"
import type { Probes } from "./adapters/probes/probes.ts"
import type { ChunkQueue } from "./adapters/queue/chunk-queue.ts"
import type { Rbl } from "./adapters/rbl/rbl.ts"
import type { Rdap } from "./adapters/rdap/rdap.ts"
import type { ResultLists } from "./adapters/store/result-lists.ts"
import type { ResultStore } from "./adapters/store/results.ts"
import type { Stores } from "./adapters/store/stores.ts"
import type { Tally } from "./adapters/tally.ts"
import type { Tracer } from "./adapters/tracing/tracer.ts"
import type { Web } from "./adapters/web/safe-fetch.ts"
import type { WebhookSender } from "./adapters/webhooks/sender.ts"
import type { Verification } from "./domain/verdict/verification.ts"
import type { Config } from "./env.ts"

/** Settings that services read as they are. */
export const SETTINGS = [
  "digests",
  "sealer",
  "fleetRules",
  "edgePublicKey",
  "canaryEveryMs",
  "bulk",
  "recheckDelaysMs",
  "limits",
  "adminSecret",
  "clientIpHeader",
  "logLevel",
  "baseUrl",
  "trustedAccounts",
  "webhookRules",
  "providerPlaces",
] as const satisfies readonly (keyof Config)[]

/** Everything outside the service, one field each. Services name what they touch with `Pick<Deps, ...>`. */
export interface Deps extends Stores, Pick<Config, (typeof SETTINGS)[number]> {
  readonly clock: Clock
  readonly randomToken: () => string
  readonly randomBytes: (n: number) => Uint8Array
  readonly log: Log
  readonly tracer: Tracer
  readonly dns: Dns
  readonly probes: Probes
  /** For whom the request acts; null until the guard has found out, and for the operator. */
  readonly actor: { accountId: string | null }
  readonly fleet: Fleet
  readonly nodeDoor: NodeDoor
  readonly rbl: Rbl
  readonly rdap: Rdap
  readonly web: Web
  readonly gravatar: Gravatar
  readonly pages: Pages
  /** Null when it is not switched on. */
  readonly credentialType: CredentialType | null
  readonly results: ResultStore
  readonly resultLists: ResultLists
  readonly chunkQueue: ChunkQueue
  readonly cache: ResultCache
  /** What accounts and the operator know about addresses, as the edge reads it. */
  readonly marks: MarkCache
  readonly inbound: InboundReaders
  /** A result as the cache keeps it; presenting is the business of a floor above. */
  readonly presentCached: (verification: Verification) => PresentedResult
  /** What costs nothing, by kind and by whose it is. */
  readonly minuteBook: MinuteBook
  readonly mailer: Mailer
  /** Null when sign-in by Google is not configured. */
  readonly google: GoogleIdentity | null
  /** Null when payments are not configured. */
  readonly payments: Payments | null
  readonly gates: Gates
  readonly flights: Flights
  /** Counts the caller's work; before the guard has run, and in background work, nothing is counted. */
  readonly meter: Meter
  /** Keeps work running after the answer has been sent. */
  readonly background: (work: Promise<unknown>) => void
  /** Null when none is configured. */
  readonly breachService: BreachSource | null
  readonly directories: Directories
  readonly webhookSender: WebhookSender
  readonly courier: Courier | null
  readonly connectors: Connectors
  readonly tally: Tally
  /** Requests by route and status, for monitoring. */
  readonly requestTally: Tally
  readonly listSources: ListSources
  readonly currentLists: CurrentLists
}

/** The same needs but for some. The others stay as they are: what is made when it is first touched is not touched. */
export function replacing<Needs extends object, Changes extends object>(
  needs: Needs,
  changes: Changes,
): Needs & Changes {
  return Object.create(needs, Object.getOwnPropertyDescriptors(changes))
}
