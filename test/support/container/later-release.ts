import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeLaterMigrations } from "../stack/first-release.ts"

interface Later {
  readonly version: string
  /** The statements of its migration. */
  readonly sql: string
  /** The folder of the archive. */
  readonly into: string
}

/**
 * Packs a later version of an unpacked release, with a migration more and the digest beside it.
 * @returns the path of the archive
 */
export function packLater(first: string, { version, sql, into }: Later): string {
  const top = `mailverdict-${version}`
  const release = join(into, top)
  cpSync(first, release, { recursive: true })
  const change = (name: string, facts: object) => {
    const content = JSON.parse(readFileSync(join(release, name), "utf8")) as object
    writeFileSync(join(release, name), JSON.stringify({ ...content, ...facts }))
  }
  change("package.json", { version })
  change("release.json", { version, commit: version.replaceAll(".", "").padEnd(40, "0") })
  writeLaterMigrations(join(release, "schema/migrations"), { tag: "0100_later", sql })
  const archive = `${top}-linux-${process.arch}.tar.gz`
  execFileSync("tar", ["-I", "gzip -1", "-cf", archive, top], { cwd: into })
  writeFileSync(`${join(into, archive)}.sha256`, execFileSync("sha256sum", [archive], { cwd: into }))
  rmSync(release, { recursive: true })
  return join(into, archive)
}
