import { createConnectors } from "../../src/adapters/integrations/connect.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createHistoryStore } from "../../src/adapters/store/history.ts"
import { createSyncStore } from "../../src/adapters/store/integration-syncs.ts"
import { createIntegrationStore } from "../../src/adapters/store/integrations.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression.ts"
import type { Deps } from "../../src/deps.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import { createSealer } from "../../src/domain/keys/seal.ts"
import { LIMIT_TABLES } from "../../src/domain/plans/tiers.ts"
import type { ProviderPlaces } from "../../src/env.ts"
import { apiNeeds } from "./api-needs.ts"
import { bulkNeeds } from "./bulk-needs.ts"

export const LEASE_MS = 60_000
const ZONE = { "mailbox.test": { MX: [{ host: "mx.test", preference: 10 }] } }
const NOWHERE: ProviderPlaces = {
  hubspotUrl: "http://127.0.0.1:9",
  salesforceLoginUrl: "http://127.0.0.1:9",
  mailchimpUrl: "http://127.0.0.1:9",
  klaviyoUrl: "http://127.0.0.1:9",
  slackUrl: "http://127.0.0.1:9",
  zapierHosts: ["127.0.0.1:9"],
}

export interface IntegrationBench {
  readonly needs: Deps
  /** Addresses mail servers were asked about, once for each time. */
  readonly asked: readonly string[]
  /** Lets time pass for the service; what is done takes none. */
  pass(ms: number): void
  /** The same under other secrets, the current one first. */
  withPeppers(peppers: readonly string[]): Promise<Deps>
}

export const PEPPER = "the first pepper, of 32 letters or more"

/** The needs of integrations over a real database; DNS and mail servers are made up, providers stand in. */
export async function integrationNeeds(
  open: () => Database,
  places: Partial<ProviderPlaces>,
): Promise<IntegrationBench> {
  const { needs: base, asked } = await bulkNeeds(open, { zone: ZONE, leaseMs: LEASE_MS })
  let passed = 0
  const providerPlaces = { ...NOWHERE, ...places }
  const randomBytes = (n: number) => crypto.getRandomValues(new Uint8Array(n))
  const needs: Deps = {
    ...base,
    clock: { ...base.clock, now: () => Date.now() + passed },
    history: createHistoryStore(open()),
    integrations: createIntegrationStore(open()),
    integrationSyncs: createSyncStore(open()),
    suppressions: createSuppressionStore(open()),
    connectors: createConnectors(providerPlaces, apiNeeds()),
    providerPlaces,
    gates: {
      ofAction: () => ({ count: async () => ({ admitted: true, retryAfterMs: 0 }) }),
    } as unknown as Deps["gates"],
    sealer: await createSealer([PEPPER], randomBytes),
    limits: { table: LIMIT_TABLES.tiers, anonymous: { perMonth: 0, perMinute: 0 } },
  }
  return {
    needs,
    asked,
    pass: (ms) => {
      passed += ms
    },
    withPeppers: async (peppers) => ({ ...needs, sealer: await createSealer(peppers, randomBytes) }),
  }
}

export function memberOf(accountId: string, tier: Member["tier"] = "enterprise"): Member {
  const allowance = LIMIT_TABLES.tiers[tier]
  return { kind: "member", accountId, keyId: "kid_1", email: "o@mailbox.test", tier, subject: accountId, allowance }
}
