import { afterEach, beforeEach } from "vitest"
import type { Database } from "../../../src/adapters/store/database.ts"
import { createIntegration } from "../../../src/services/integrations/integrations.ts"
import { startSync } from "../../../src/services/integrations/run-sync.ts"
import { integrationDeps, memberOf } from "../deps/integration-deps.ts"
import { startDatabase } from "../stack/database.ts"
import { type Portal, startHubspot } from "./hubspot-server.ts"

export const TOKEN = "pat-eu1-5f0c9a1e-secret-token"

type Paying = "free" | "enterprise"

/** Contacts: user… exists, nobody… does not exist, late… is greylisted. */
export const people = (count: number, name = "user") =>
  Array.from({ length: count }, (_, n) => ({
    id: String(100 + n),
    email: `${n % 4 ? name : "nobody"}${n}@mailbox.test`,
  }))

/** A database for each test of a file, and the provider servers, stopped after the test. */
export function integrationStage() {
  let database: Awaited<ReturnType<typeof startDatabase>>
  const servers: { stop(): Promise<void> }[] = []
  beforeEach(async () => {
    database = await startDatabase()
  })
  afterEach(async () => {
    await database.stop()
    for (const server of servers.splice(0)) await server.stop()
  })
  return {
    servers,
    open: () => database.open(),
    folder: () => database.folder,
    async connected(...about: [portal: Portal, tier?: Paying]) {
      const portal = await connectPortal(database.open, ...about)
      servers.push(portal.server)
      return portal
    },
  }
}

/** The account "acc" with a connected HubSpot portal. */
async function connectPortal(open: () => Database, portal: Portal, tier: Paying = "enterprise") {
  const server = await startHubspot({ [TOKEN]: portal })
  const bench = await integrationDeps(open, { hubspotUrl: server.url })
  const connection = {
    provider: "hubspot",
    credentials: { access_token: TOKEN },
    settings: { status_property: "mailverdict_status", score_property: "mailverdict_score" },
  } as const
  const { integrationId } = await createIntegration(bench.ctx, {
    ...{ accountId: "acc", name: "crm", connection, verify: false },
  })
  const start = (as = tier, restart = false) =>
    startSync(bench.ctx, { caller: memberOf("acc", as), provider: "hubspot", integrationId: null, restart })
  return { ...bench, server, integrationId, start }
}
