import type { Digests } from "../accounts/crypto.ts"
import type { Family } from "./metrics.ts"

/** What a database records about the installation that it belongs to. */
export interface RecordedSecrets {
  /** Null in a database that no service has started with. */
  readonly pepper: string | null
  readonly signingKey: string | null
}

/** The secrets of this service in the form in which a database records them. */
export interface OwnSecrets {
  /** Keyed hashes of a constant: one under KEY_PEPPER, then one under KEY_PEPPER_PREVIOUS when it is set. */
  readonly peppers: readonly string[]
  /** `<key id>:<base64url>` */
  readonly signingKey: string
}

/** Separates the fingerprint from other keyed hashes of the same pepper. */
const LABEL = ["installation", "fingerprint of the pepper"] as const

/** Returns the recorded form of a service's secrets. A keyed hash does not reveal its key. */
export async function ownSecrets(digests: Digests, signingKey: string): Promise<OwnSecrets> {
  return { peppers: await digests.candidates(...LABEL), signingKey }
}

/** `unrecorded`: the database accepts these secrets and does not record all of them yet. */
export type Ownership = "own" | "unrecorded" | "foreign"

/** Whether a database belongs to the service with these secrets. Its API keys and sealed secrets need the pepper. */
export function ownershipOf(recorded: RecordedSecrets, own: OwnSecrets): Ownership {
  if (recorded.pepper !== null && !own.peppers.includes(recorded.pepper)) return "foreign"
  return recorded.pepper === own.peppers[0] && recorded.signingKey === own.signingKey ? "own" : "unrecorded"
}

/** Why a database is not usable, or only in part. */
export type DatabaseProblem = "silent" | "token_refused" | "schema_old" | "foreign" | "read_only" | "full"

/** The id in a public key of the form `<key id>:<base64url>`. */
export function keyIdOf(publicKey: string): string {
  return publicKey.split(":", 1)[0] ?? ""
}

/** Explains to the operator that KEY_PEPPER does not fit the database. */
export function foreignDatabase({ signingKey }: RecordedSecrets): string {
  const known = signingKey === null ? "" : ` (its EDGE_SIGNING_KEY has the id ${keyIdOf(signingKey)})`
  return `the database belongs to an installation with another KEY_PEPPER${known}. With this one no API key works and no \
sealed secret can be read. Use the secrets of that installation: its settings, or the secrets.json in its DATA_DIR or \
backup. While you change the pepper, set KEY_PEPPER_PREVIOUS to the former one. For a new installation, use another \
database. See docs/operating.md, "Another installation's database".`
}

interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
}

export const STORAGE_STATES = ["ok", "low", "full"] as const
/** `low`: the operator should free space soon. `full`: calls that need a write fail, or are about to. */
export type StorageState = (typeof STORAGE_STATES)[number]

const MB = 1_048_576
/** Each is at most this share of a small disk, and this many bytes of a large one. */
const LOW = { share: 0.1, bytes: 1_024 * MB } as const
/** A job's batch of chunks writes a few MB at once, and SQLite writes them twice. */
const FULL = { share: 0.01, bytes: 16 * MB } as const

export function storageStateOf({ freeBytes, totalBytes }: DiskSpace): StorageState {
  const isBelow = ({ share, bytes }: typeof LOW | typeof FULL) => freeBytes < Math.min(bytes, share * totalBytes)
  if (isBelow(FULL)) return "full"
  return isBelow(LOW) ? "low" : "ok"
}

/** The metrics of a disk. @param stores bytes by store, without those that could not be measured */
export function diskFamilies({ freeBytes, totalBytes }: DiskSpace, stores: Readonly<Record<string, number>>): Family[] {
  const gauge = (name: string, help: string, samples: Family["samples"]): Family => {
    return { name, type: "gauge", help, samples }
  }
  return [
    gauge("mailverdict_disk_free_bytes", "Free space of the file system of DATA_DIR.", [
      { labels: {}, value: freeBytes },
    ]),
    gauge("mailverdict_disk_total_bytes", "Size of the file system of DATA_DIR.", [{ labels: {}, value: totalBytes }]),
    gauge(
      "mailverdict_disk_used_bytes",
      "Space that each store takes in DATA_DIR.",
      Object.entries(stores).map(([store, value]) => ({ labels: { store }, value })),
    ),
  ]
}
