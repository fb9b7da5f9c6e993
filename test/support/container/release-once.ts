import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** The release of this project, as `npm run release` packs it. Its digest is beside it. */
    releaseArchive: string
  }
}

const RELEASE = fileURLToPath(new URL("../../../scripts/build/release.ts", import.meta.url))

/** Packs the release before the first test: two builds at once would write the same files of dist/. */
export function setup(project: TestProject): void {
  const printed = execFileSync(process.execPath, [RELEASE], { encoding: "utf8", timeout: 240_000 })
  project.provide("releaseArchive", printed.trim().split("\n").at(-1)!)
}

/** Unpacks a release into a new folder. */
export function unpackRelease(archive: string, into: string): void {
  mkdirSync(into, { recursive: true })
  execFileSync("tar", ["-xzf", archive, "-C", into, "--strip-components=1"])
}
