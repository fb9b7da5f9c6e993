import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DATABASE, isAbandoned, isComplete, timeOf } from "./backup-set.ts"
import { openBucket } from "./s3.ts"

type Settings = Readonly<Record<string, string | undefined>>

/** A place that holds backups, each under a name of its time. */
export interface BackupStore {
  /** The address of a backup, as `npm run restore` takes it. */
  addressOf(name: string): string
  /** The names that begin with a time, each with its files. Those that this user cannot read are left out. */
  contents(): Promise<ReadonlyMap<string, readonly string[]>>
  /** Uploads a backup from a folder of this machine. Null: `npm run backup` writes it here itself. */
  readonly upload: ((name: string, folder: string) => Promise<void>) | null
  remove(name: string): Promise<void>
  /** The installation that the place belongs to; null for a place without backups of one. */
  readMark(): Promise<string | null>
  writeMark(installation: string): Promise<void>
}

/** The name of the mark in a place. */
const MARK = "installation"

/** A place's address: a folder, or s3://bucket/prefix. */
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]+[a-z0-9])(?:\/(.*))?$/

/** @throws Error when the place is an s3:// address of a wrong form, or its settings are missing */
export function openStore(place: string, settings: Settings): BackupStore {
  if (!place.startsWith("s3:")) return folderStore(place)
  return bucketStore(place.replace(/\/+$/, ""), openPlace(place, settings))
}

/** Opens the bucket of an s3:// address. @returns with it the prefix of the keys, which is empty or ends with a slash */
function openPlace(place: string, settings: Settings) {
  const [, name, path = ""] = S3.exec(place) ?? []
  if (!name) throw new Error(`${place} is no place for backups: write s3://bucket/prefix`)
  const folder = path.replaceAll(/^\/+|\/+$/g, "")
  return { bucket: openBucket(name, settings), prefix: folder && `${folder}/` }
}

function folderStore(place: string): BackupStore {
  const mark = join(place, MARK)
  return {
    upload: null,
    addressOf: (name) => join(place, name),
    async contents() {
      const entries = existsSync(place) ? readdirSync(place, { withFileTypes: true }) : []
      const names = entries
        .filter((entry) => entry.isDirectory() && timeOf(entry.name) !== null)
        .map(({ name }) => name)
      return new Map(names.flatMap((name) => filesIn(join(place, name)).map((files) => [name, files] as const)))
    },
    async remove(name) {
      // Without its database it is not complete, even when the rest cannot be removed.
      rmSync(join(place, name, DATABASE), { force: true })
      rmSync(join(place, name), { recursive: true })
    },
    readMark: async () => (existsSync(mark) ? readFileSync(mark, "utf8").trim() : null),
    writeMark: async (installation) => writeFileSync(mark, `${installation}\n`),
  }
}

/** The names in a folder, in a list; an empty list for the folder of another user. */
function filesIn(folder: string): [string[]] | [] {
  try {
    return [readdirSync(folder)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return []
    throw error
  }
}

function bucketStore(place: string, { bucket, prefix }: ReturnType<typeof openPlace>): BackupStore {
  return {
    addressOf: (name) => `${place}/${name}`,
    async contents() {
      const files = new Map<string, string[]>()
      for (const key of await bucket.list(prefix)) {
        const [name = "", ...rest] = key.slice(prefix.length).split("/")
        if (timeOf(name) !== null && rest.length > 0) files.set(name, [...(files.get(name) ?? []), rest.join("/")])
      }
      return files
    },
    async upload(name, folder) {
      // The database last: without it the backup is not complete.
      const files = readdirSync(folder).toSorted((one, other) => Number(one === DATABASE) - Number(other === DATABASE))
      for (const file of files) await bucket.upload(`${prefix}${name}/${file}`, join(folder, file))
    },
    async remove(name) {
      await bucket.remove(`${prefix}${name}/${DATABASE}`)
      for (const key of await bucket.list(`${prefix}${name}/`)) await bucket.remove(key)
    },
    async readMark() {
      const isMarked = (await bucket.list(`${prefix}${MARK}`)).includes(`${prefix}${MARK}`)
      return isMarked ? (await bucket.read(`${prefix}${MARK}`)).trim() : null
    },
    writeMark: (installation) => bucket.write(`${prefix}${MARK}`, `${installation}\n`),
  }
}

/** The names of the complete backups. */
export async function completeIn(store: BackupStore): Promise<string[]> {
  return [...(await store.contents())].filter(([name, files]) => isComplete(name, files)).map(([name]) => name)
}

/** Removes what interrupted backups have left, so that they do not fill the place. @param now Unix ms */
export async function removeAbandoned(store: BackupStore, now: number): Promise<void> {
  for (const [name, files] of await store.contents()) if (isAbandoned(name, files, now)) await store.remove(name)
}

/**
 * Marks a place as that of an installation, before its older backups are removed.
 * @param own what identifies the installation, now and before a change of the pepper. None: it is not known
 * @throws Error when the place belongs to another installation
 */
export async function claimPlace(store: BackupStore, own: readonly string[]): Promise<void> {
  const [current] = own
  if (current === undefined) return
  const mark = await store.readMark()
  if (mark !== null && !own.includes(mark))
    throw new Error(
      `${store.addressOf(MARK)} is of another installation, whose backups would be removed: name a place of its own for ` +
        "each installation, or delete this file when the other one is gone",
    )
  if (mark !== current) await store.writeMark(current)
}

/**
 * Downloads a backup from S3.
 * @param address s3://bucket/prefix/name
 * @param target a new folder
 * @throws Error that names the newest backups when there is no complete one at the address
 */
export async function fetchBackup(address: string, target: string, settings: Settings): Promise<void> {
  const { bucket, prefix } = openPlace(address, settings)
  const keys = (await bucket.list(prefix)).map((key) => key.slice(prefix.length))
  if (!keys.includes(DATABASE)) {
    const stored = await completeIn(openStore(address, settings))
    const newest = stored.toSorted().toReversed().slice(0, 5).join(", ")
    throw new Error(`no backup at ${address}: ${newest ? `add one of the names ${newest}` : "check the address"}`)
  }
  mkdirSync(target, { recursive: true, mode: 0o700 })
  for (const key of keys.filter((one) => !one.includes("/")))
    await bucket.download(`${prefix}${key}`, join(target, key))
}
