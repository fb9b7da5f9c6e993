import { execFile } from "node:child_process"
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import Database from "libsql"
import { type LocalSecrets, localSecrets } from "../../../scripts/data/data-files.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { ownSecrets } from "../../../src/domain/admin/installation.ts"

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url))
const IS_ROOT = process.getuid?.() === 0
/** The service's user: another one than root, which may read and write everything. */
export const SERVICE_USER = IS_ROOT ? 65_534 : process.getuid!()
/** For what only root can do. */
export const AS_ROOT = IS_ROOT ? ["root"] : []

/**
 * Writes a data folder whose database has one note and records its pepper, as after the first start.
 * @param pepper in use; by default the generated one
 * @returns the generated secrets
 */
export async function writeInstallation(dataDir: string, note: string, pepper?: string): Promise<LocalSecrets> {
  const secrets = await localSecrets(dataDir)
  const database = new Database(join(dataDir, "mailverdict.db"))
  database.exec("CREATE TABLE installation (pepper TEXT, edge_id TEXT, edge_run TEXT, edge_until INTEGER)")
  database.exec("CREATE TABLE notes (text TEXT)")
  database.prepare("INSERT INTO installation (pepper) VALUES (?)").run(await recordedAs(pepper ?? secrets.keyPepper))
  database.prepare("INSERT INTO notes VALUES (?)").run(note)
  database.close()
  return secrets
}

/** A pepper as a database records it. */
export async function recordedAs(pepper: string): Promise<string> {
  return (await ownSecrets(await createDigests([pepper]), "")).peppers[0]!
}

/** The note in the database of a data folder or a backup. */
export function noteIn(folder: string): unknown {
  const database = new Database(join(folder, "mailverdict.db"))
  try {
    return (database.prepare("SELECT text FROM notes").get() as { text: string } | undefined)?.text
  } finally {
    database.close()
  }
}

/** Gives a folder and its content to the service's user, and lets that user reach it. */
export function giveToService(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const path of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
    chownSync(join(folder, path), SERVICE_USER, SERVICE_USER)
  chmodSync(folder, 0o700)
}

/** The paths below a folder, itself included, that the service's user does not own. */
export function foreignIn(folder: string): string[] {
  const paths = ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]
  return paths.filter((path) => lstatSync(join(folder, path)).uid !== SERVICE_USER)
}

export interface CommandCall {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly asService: boolean
}

/** Runs a script of scripts/data. @returns its lines, and whether it succeeded */
export function runData(words: readonly string[], { cwd, env, asService }: CommandCall) {
  const [name, ...args] = words
  const command = [process.execPath, join(PROJECT, "scripts/data", `${name}.ts`), ...args]
  const [program, ...rest] = asService && IS_ROOT ? [...AS_SERVICE, ...command.map(atMount)] : command
  const options = { cwd, env: { PATH: process.env.PATH, ...env }, timeout: 30_000 }
  return new Promise<{ ok: boolean; out: string }>((resolve) =>
    execFile(program!, rest, options, (error, out, problem) => resolve({ ok: error === null, out: out + problem })),
  )
}

/** Where the service's user sees this project, which may be in a folder that only root can enter. */
const MOUNT = join(tmpdir(), "mailverdict-project")
/** In a mount namespace of its own, so that nothing of it is left. */
const MOUNTED = `mkdir -p ${MOUNT} && chmod 755 ${MOUNT} && mount --bind "$0" ${MOUNT} && exec setpriv "$@"`
const SETPRIV = [`--reuid=${SERVICE_USER}`, `--regid=${SERVICE_USER}`, "--clear-groups", "--"]
const AS_SERVICE = ["unshare", "--mount", "sh", "-c", MOUNTED, PROJECT, ...SETPRIV]

const atMount = (word: string): string => (word.startsWith(PROJECT) ? join(MOUNT, word.slice(PROJECT.length)) : word)
