import type { Database } from "../../src/adapters/store/database.ts"
import { createIntegration } from "../../src/services/integrations/create-integration.ts"
import { startSync } from "../../src/services/integrations/start-sync.ts"
import { type Portal, startHubspot } from "./hubspot-server.ts"
import { integrationNeeds, memberOf } from "./integration-needs.ts"

export const TOKEN = "pat-eu1-5f0c9a1e-secret-token"

type Paying = "free" | "enterprise"

/** user… exists, nobody… does not, late… is greylisted. */
export const people = (count: number, name = "user") =>
  Array.from({ length: count }, (_, n) => ({
    id: String(100 + n),
    email: `${n % 4 ? name : "nobody"}${n}@mailbox.test`,
  }))

/** The account "acc" with a HubSpot portal that is connected to it; the portal's server is for the caller to stop. */
export async function connectPortal(open: () => Database, portal: Portal, tier: Paying = "enterprise") {
  const server = await startHubspot({ [TOKEN]: portal })
  const bench = await integrationNeeds(open, { hubspotUrl: server.url })
  const connection = {
    provider: "hubspot",
    credentials: { access_token: TOKEN },
    settings: { status_property: "mailverdict_status", score_property: "mailverdict_score" },
  } as const
  const { integrationId } = await createIntegration(bench.needs, {
    ...{ accountId: "acc", name: "crm", connection, verify: false },
  })
  const start = (as = tier, restart = false) =>
    startSync(bench.needs, { caller: memberOf("acc", as), provider: "hubspot", integrationId: null, restart })
  return { ...bench, server, integrationId, start }
}
