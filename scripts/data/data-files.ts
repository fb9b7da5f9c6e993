import { randomBytes } from "node:crypto"
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { z } from "zod"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { ownerOf, RECORDS } from "../update/installation.ts"

/** The files and folders in DATA_DIR, by what they hold. */
export const DATA_FILES = {
  database: "mailverdict.db",
  lock: "in-use.lock",
  /** State of the edge derived from the database: keys, rates and results. */
  derived: "workerd",
  secrets: "secrets.json",
  service: "service.json",
  ownerKey: "owner-key",
  formDemo: "form-demo.json",
  updates: RECORDS,
  backups: "backups",
  lastBackup: "last-backup.json",
} as const

/** The database, and what SQLite adds beside one that is in use, or was not closed. */
export const DATABASE_FILES = ["", "-wal", "-shm"].map((end) => DATA_FILES.database + end)

/** Folders in which a restore leaves the former data. */
export const FORMER = "before-restore-"

/** Whether the service or one of its commands creates this name. "lost+found" is part of many file systems. */
export function isOurs(name: string): boolean {
  return [...Object.values(DATA_FILES), FORMER, "lost+found"].some((own) => name.startsWith(own))
}

/** Why this user cannot read a file, as a code of the system such as ENOENT or EACCES. Null: it can. */
export function unreadable(path: string): string | null {
  try {
    accessSync(path, constants.R_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? null
  }
}

/**
 * Creates the data folder when it is missing. Root gives it to the owner of the folder around it, such as the clone's.
 */
export function createDataDir(dataDir: string): void {
  if (existsSync(dataDir)) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const owner = ownerOf(dirname(resolve(dataDir)))
  if (owner) chownSync(dataDir, owner.uid, owner.gid)
}

/**
 * Gives what root has written in the data folder to the folder's owner, who is the service's user. A call by another user
 * changes nothing.
 * @param names files and folders in it, with all that they contain
 */
export function giveToOwner(dataDir: string, names: readonly string[]): void {
  const owner = ownerOf(dataDir)
  if (!owner) return
  const give = (path: string) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats || stats.isSymbolicLink()) return
    if (stats.isDirectory()) for (const name of readdirSync(path)) give(join(path, name))
    chownSync(path, owner.uid, owner.gid)
  }
  for (const name of names) give(join(dataDir, name))
}

const KeyPair = z.object({ signingKey: z.string(), publicKey: z.string() })
const Secrets = z.object({
  edge: KeyPair,
  node: KeyPair,
  keyPepper: z.string(),
  adminSecret: z.string(),
  libsqlToken: z.string(),
})

/** Secrets of a local stack, generated at the first start and stored in DATA_DIR. */
export type LocalSecrets = Readonly<z.infer<typeof Secrets>>

/** The stored secrets; null before the first start. @throws Error when the file cannot be read */
export function storedSecrets(dataDir: string): LocalSecrets | null {
  const file = join(dataDir, DATA_FILES.secrets)
  if (unreadable(file) === "ENOENT") return null
  const text = readFileSync(file, "utf8")
  try {
    return Secrets.parse(JSON.parse(text))
  } catch {
    throw new Error(`${file} is damaged: restore it from a backup, because the API keys need it`)
  }
}

/** The stored secrets, which the first call generates. @throws Error when the file cannot be read or written */
export async function localSecrets(dataDir: string): Promise<LocalSecrets> {
  const stored = storedSecrets(dataDir)
  if (stored) return stored
  const random = () => randomBytes(32).toString("base64url")
  const [edge, node] = [await generateKeyPair("edge-1"), await generateKeyPair("node-1")]
  const secrets = { edge, node, keyPepper: random(), adminSecret: random(), libsqlToken: random() }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writePrivateFile(join(dataDir, DATA_FILES.secrets), JSON.stringify(secrets, null, 2))
  return secrets
}

/**
 * Writes a file that only its owner can read. It is whole or missing: a half-written one, as on a full disk, would block
 * every later start.
 */
export function writePrivateFile(file: string, text: string): void {
  writeFileSync(`${file}.unfinished`, text, { mode: 0o600 })
  renameSync(`${file}.unfinished`, file)
}
