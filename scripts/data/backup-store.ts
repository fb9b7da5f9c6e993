import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { DATABASE, isAbandoned, isComplete } from "./backup-set.ts"
import { openBucket } from "./s3.ts"

type Settings = Readonly<Record<string, string | undefined>>

/** A place that holds backups, each under a name of its time. */
export interface BackupStore {
  /** The address of a backup, as `npm run restore` takes it. */
  addressOf(name: string): string
  /** The names of the complete backups. */
  complete(): Promise<string[]>
  /** Uploads a backup from a folder of this machine. Null: `npm run backup` writes it here itself. */
  readonly upload: ((name: string, folder: string) => Promise<void>) | null
  remove(name: string): Promise<void>
}

/** A place's address: a folder, or s3://bucket/prefix. */
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]+[a-z0-9])(?:\/(.*))?$/

/** @throws Error when the place is an s3:// address of a wrong form, or its settings are missing */
export function openStore(place: string, settings: Settings): BackupStore {
  if (!place.startsWith("s3:")) return folderStore(place)
  const { bucket, path } = parseS3(place)
  return bucketStore(place.replace(/\/+$/, ""), { bucket: openBucket(bucket, settings), prefix: path && `${path}/` })
}

function parseS3(place: string): { bucket: string; path: string } {
  const [, bucket, path = ""] = S3.exec(place) ?? []
  if (!bucket) throw new Error(`${place} is no place for backups: write s3://bucket/prefix`)
  return { bucket, path: path.replaceAll(/^\/+|\/+$/g, "") }
}

function folderStore(place: string): BackupStore {
  return {
    upload: null,
    addressOf: (name) => join(place, name),
    async complete() {
      const folders = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory())
      return folders.map(({ name }) => name).filter((name) => isComplete(name, readdirSync(join(place, name))))
    },
    async remove(name) {
      // Without its database it is not complete, even when the rest cannot be removed.
      rmSync(join(place, name, DATABASE))
      rmSync(join(place, name), { recursive: true })
    },
  }
}

function bucketStore(
  place: string,
  { bucket, prefix }: { bucket: ReturnType<typeof openBucket>; prefix: string },
): BackupStore {
  return {
    addressOf: (name) => `${place}/${name}`,
    async complete() {
      const files = new Map<string, string[]>()
      for (const key of await bucket.list(prefix)) {
        const [name = "", ...rest] = key.slice(prefix.length).split("/")
        files.set(name, [...(files.get(name) ?? []), rest.join("/")])
      }
      return [...files].filter(([name, own]) => isComplete(name, own)).map(([name]) => name)
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
  }
}

/** Removes what interrupted backups have left in a folder, so that they do not fill the disk. */
export function removeAbandoned(folder: string, now: number): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder))
    if (isAbandoned(name, now) && statSync(join(folder, name)).isDirectory())
      rmSync(join(folder, name), { recursive: true })
}

/**
 * Downloads a backup from S3.
 * @param address s3://bucket/prefix/name
 * @param target a new folder
 * @throws Error that names the newest backups when there is no complete one at the address
 */
export async function fetchBackup(address: string, target: string, settings: Settings): Promise<void> {
  const { bucket: name, path } = parseS3(address)
  const bucket = openBucket(name, settings)
  const keys = (await bucket.list(path && `${path}/`)).map((key) => key.slice(path.length + Number(path !== "")))
  if (!keys.includes(DATABASE)) {
    const stored = await openStore(address, settings).complete()
    const newest = stored.toSorted().toReversed().slice(0, 5).join(", ")
    throw new Error(`no backup at ${address}: ${newest ? `add one of the names ${newest}` : "check the address"}`)
  }
  mkdirSync(target, { recursive: true, mode: 0o700 })
  for (const key of keys.filter((one) => !one.includes("/")))
    await bucket.download(`${path}${path && "/"}${key}`, join(target, key))
}
