import { publicKeyOf } from "../../schema/wire/keys.ts"
import { createInstallationStore } from "../../src/adapters/store/admin/installation.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { foreignDatabase, keyIdOf, ownershipOf, ownSecrets } from "../../src/domain/admin/installation.ts"

/** The Worker's settings that belong to one installation. */
export interface WorkerSecrets {
  readonly KEY_PEPPER: string
  readonly KEY_PEPPER_PREVIOUS?: string | undefined
  readonly EDGE_SIGNING_KEY: string
}

/**
 * Records the secrets of this installation in its database, at the first start or after a change.
 * @param onNotice receives a line when the signing key has changed
 * @throws Error with the reason when the database belongs to an installation with another pepper
 */
export async function claimDatabase(
  database: Database,
  { KEY_PEPPER, KEY_PEPPER_PREVIOUS, EDGE_SIGNING_KEY }: WorkerSecrets,
  onNotice: (line: string) => void,
): Promise<void> {
  const digests = await createDigests([KEY_PEPPER, ...(KEY_PEPPER_PREVIOUS ? [KEY_PEPPER_PREVIOUS] : [])])
  const own = await ownSecrets(digests, await publicKeyOf(EDGE_SIGNING_KEY))
  const store = createInstallationStore(database)
  const row = await store.read()
  if (!row) throw new Error("LIBSQL_URL: the database lacks a migration of this version: run `npm run migrate`")
  const ownership = ownershipOf(row, own)
  if (ownership === "own") return
  if (ownership === "foreign" || !(await store.record(own))) throw new Error(`KEY_PEPPER: ${foreignDatabase(row)}`)
  if (row.signingKey === null || row.signingKey === own.signingKey) return
  const keys = `${keyIdOf(own.signingKey)}, before ${keyIdOf(row.signingKey)}`
  onNotice(`EDGE_SIGNING_KEY has changed (${keys}): nodes elsewhere need its public half in PROBE_TRUSTED_KEYS`)
}
