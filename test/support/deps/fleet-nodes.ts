import { afterAll, beforeAll } from "vitest"
import type { Database } from "../../../src/adapters/store/database.ts"
import { createFleetStore, type FleetStore, type NewNode } from "../../../src/adapters/store/fleet/fleet.ts"
import { startDatabase } from "../stack/database.ts"

export const NOW = 1_800_000_000_000
export const HOUR = 3_600_000
/** Former keys end after a day. */
export const times = { now: NOW, oldKeysUntil: NOW + 24 * HOUR }

/** A node with the key `<id>.1`. */
export const node = (id: string, more: Partial<NewNode> = {}): NewNode => ({
  ...{ id, region: "eu", url: `https://${id}.example.org`, sourceIps: ["192.0.2.1"], capacity: 10, version: "1" },
  ...{ key: `${id}.1:key` },
  ...more,
})

interface FleetDatabase {
  open(): Database
  store(): FleetStore
  /** Stores a token for an hour. @returns its digest */
  token(digest: string, accountId?: string | null): Promise<string>
}

/** A database for the tests of a file, started before them and stopped after them. */
export function fleetDatabase(): FleetDatabase {
  let database: Awaited<ReturnType<typeof startDatabase>>
  beforeAll(async () => {
    database = await startDatabase()
  })
  afterAll(() => database.stop())
  const store = () => createFleetStore(database.open())
  return {
    open: () => database.open(),
    store,
    async token(digest, accountId = null) {
      await store().addToken({ digest, accountId, expiresAt: NOW + HOUR })
      return digest
    },
  }
}
