import { createConnectors } from "../../../src/adapters/integrations/connect.ts"
import { createHistoryStore } from "../../../src/adapters/store/accounts/history.ts"
import type { Database } from "../../../src/adapters/store/database.ts"
import { createSyncStore } from "../../../src/adapters/store/integrations/integration-syncs.ts"
import { createIntegrationStore } from "../../../src/adapters/store/integrations/integrations.ts"
import { createSuppressionStore } from "../../../src/adapters/store/suppression/suppression.ts"
import type { Context } from "../../../src/context.ts"
import type { Member } from "../../../src/domain/accounts/caller.ts"
import { createSealer } from "../../../src/domain/accounts/crypto.ts"
import { LIMIT_TABLES, LIMIT_TIERS } from "../../../src/domain/accounts/tiers.ts"
import type { ProviderUrls } from "../../../src/env.ts"
import { apiDeps } from "./api-deps.ts"
import { bulkDeps } from "./bulk-deps.ts"

export const LEASE_MS = 60_000
const ZONE = { "mailbox.test": { MX: [{ host: "mx.test", preference: 10 }] } }
const NOWHERE: ProviderUrls = {
  hubspotUrl: "http://127.0.0.1:9",
  salesforceLoginUrl: "http://127.0.0.1:9",
  mailchimpUrl: "http://127.0.0.1:9",
  klaviyoUrl: "http://127.0.0.1:9",
  slackUrl: "http://127.0.0.1:9",
  zapierHosts: ["127.0.0.1:9"],
}

export interface IntegrationBench {
  readonly ctx: Context
  /** Probed addresses, one entry per probe. */
  readonly probed: readonly string[]
  /** Advances the service's clock. */
  advance(ms: number): void
  /** The same dependencies with other peppers, the current one first. */
  withPeppers(peppers: readonly string[]): Promise<Context>
}

export const PEPPER = "the first pepper, of 32 letters or more"

/** Dependencies of the integrations over a real database. DNS and mail servers are fakes, providers are stubs. */
export async function integrationDeps(open: () => Database, places: Partial<ProviderUrls>): Promise<IntegrationBench> {
  const { ctx: base, probed } = await bulkDeps(open, { zone: ZONE, leaseMs: LEASE_MS })
  let passed = 0
  const providerUrls = { ...NOWHERE, ...places }
  const randomBytes = (n: number) => crypto.getRandomValues(new Uint8Array(n))
  const ctx: Context = {
    ...base,
    clock: { ...base.clock, now: () => Date.now() + passed },
    connectors: createConnectors(providerUrls, apiDeps()),
    keyLimiters: {
      ofAction: () => ({ count: async () => ({ accepted: true, retryAfterMs: 0 }) }),
    } as unknown as Context["keyLimiters"],
    sealer: await createSealer([PEPPER], randomBytes),
    store: {
      ...base.store,
      history: createHistoryStore(open()),
      integrations: createIntegrationStore(open()),
      integrationSyncs: createSyncStore(open()),
      suppressions: createSuppressionStore(open()),
    },
    config: {
      ...base.config,
      providerUrls,
      limits: { table: LIMIT_TABLES.tiers, tiers: LIMIT_TIERS.tiers, anonymous: { perMonth: 0, perMinute: 0 } },
    },
  }
  return {
    ctx,
    probed,
    advance: (ms) => {
      passed += ms
    },
    withPeppers: async (peppers) => ({ ...ctx, sealer: await createSealer(peppers, randomBytes) }),
  }
}

export function memberOf(accountId: string, tier: Member["tier"] = "enterprise"): Member {
  const allowance = LIMIT_TABLES.tiers[tier]
  return { kind: "member", accountId, keyId: "kid_1", email: "o@mailbox.test", tier, subject: accountId, allowance }
}
