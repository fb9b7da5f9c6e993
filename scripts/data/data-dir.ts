import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { type LocalSecrets, localSecrets } from "../dev/secrets.ts"
import { DATA_FILES, DATABASE_FILES, isOurs } from "./data-files.ts"
import { appliedInFile, isOlder, olderDatabase } from "./older-database.ts"

const { secrets: SECRETS, lock, derived, service, ownerKey } = DATA_FILES
/** The files that the service writes. Backups are not among them: they may belong to another user. */
const WRITTEN = ["", ...DATABASE_FILES, lock, derived, service, ownerKey]

export interface DataDirOptions {
  /** Whether the service uses the database in the folder. False with LIBSQL_URL. */
  readonly usesDatabase: boolean
  /** Receives a line for each path that other users could access. */
  readonly onNotice: (line: string) => void
}

/**
 * Creates the data folder, or removes other users' access to an existing one.
 * @returns the secrets in the folder
 * @throws Error that names DATA_DIR when the folder cannot be used, for example because another user owns a file in it
 *   or its database is from an older version
 */
export async function openDataDir(dataDir: string, { usesDatabase, onNotice }: DataDirOptions): Promise<LocalSecrets> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    for (const path of WRITTEN.map((name) => join(dataDir, name)))
      if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
    if (usesDatabase) refuseOlder(join(dataDir, DATA_FILES.database))
    for (const line of closeToOthers(dataDir)) onNotice(line)
    return await localSecrets(dataDir)
  } catch (error) {
    throw new Error(`DATA_DIR: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws Error when the database in a file is from before the initial migration */
export function refuseOlder(file: string): void {
  if (!isOlder(appliedInFile(file))) return
  const action = "Set DATA_DIR to a new folder, or export the data with the version that created it."
  throw new Error(olderDatabase(file, action))
}

/** Removes other users' access to the folder and to the service's files. @returns a line for each change */
function closeToOthers(dataDir: string): string[] {
  const names = readdirSync(dataDir)
  const files = [...WRITTEN.slice(1), SECRETS].filter((name) => names.includes(name))
  const foreign = names.find((name) => !isOurs(name))
  const notices = files.map((name) => closePath(join(dataDir, name)))
  return [...notices, foreign === undefined ? closePath(dataDir) : leaveOpen(dataDir, foreign)].filter(
    (one) => one !== null,
  )
}

function closePath(path: string): string | null {
  const { mode, isOpen, isFolder } = rightsOf(path)
  if (!isOpen) return null
  const closed = isFolder ? 0o700 : 0o600
  try {
    chmodSync(path, closed)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return `${path} is open to other users (mode ${mode}) and cannot be closed (${code}): change its owner`
  }
  return `${path} was open to other users: mode ${mode}, now ${closed.toString(8)}`
}

/** Leaves a shared folder such as /var/lib open: other programs need access to it. */
function leaveOpen(dataDir: string, foreign: string): string | null {
  const { mode, isOpen } = rightsOf(dataDir)
  if (!isOpen) return null
  return `${dataDir} is open to other users (mode ${mode}) as it also holds ${foreign}: use a separate folder`
}

function rightsOf(path: string) {
  const stats = statSync(path)
  const mode = (stats.mode & 0o777).toString(8)
  return { mode, isOpen: (stats.mode & 0o077) !== 0, isFolder: stats.isDirectory() }
}
