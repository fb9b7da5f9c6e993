import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import manifest from "../../../package.json" with { type: "json" }
import journal from "../../../schema/migrations/meta/_journal.json" with { type: "json" }
import released from "../../../schema/released-migrations.json" with { type: "json" }

/**
 * A database records which migrations it has, and no migration runs twice. So a migration of a release is never changed:
 * databases that have it would differ from new ones. CONTRIBUTING.md, "Release", says how a release adds its lines.
 */
interface Migration {
  readonly tag: string
  readonly when: number
  readonly sha256: string
}

const releases: Readonly<Record<string, readonly Migration[]>> = released
const frozen = Object.values(releases).flat()
const FOLDER = "schema/migrations"
const here = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

/** The migrations of a version. @param read one of its files */
function migrationsOf(read: (path: string) => string): Migration[] {
  const { entries } = JSON.parse(read(`${FOLDER}/meta/_journal.json`)) as typeof journal
  return entries.map(({ tag, when }) => {
    const sql = read(`${FOLDER}/${tag}.sql`)
    return { tag, when, sha256: createHash("sha256").update(sql).digest("hex") }
  })
}
const present = migrationsOf(here)

const cwd = fileURLToPath(new URL("../../..", import.meta.url))
const git = (...args: string[]) => spawnSync("git", args, { cwd, encoding: "utf8" })
const hasTag = (tag: string) => git("rev-parse", "--quiet", "--verify", `refs/tags/${tag}`).status === 0
/** Those that this clone has. A release gets its tag after this test. */
const tags = Object.keys(releases)
  .map((version) => `v${version}`)
  .filter(hasTag)

test("the migrations of a release are as it had them, and later ones follow them", () => {
  expect(present.slice(0, frozen.length)).toEqual(frozen)
})

test("the migrations of each release are those of its tag", () => {
  for (const tag of tags) {
    const tagged = migrationsOf((path) => git("show", `${tag}:${path}`).stdout)
    expect({ tag, migrations: present.slice(0, tagged.length) }).toEqual({ tag, migrations: tagged })
  }
})

test("this version has an entry once it is released: when package.json has its number", () => {
  const unreleased = present.slice(frozen.length)
  expect({ ...releases, [manifest.version]: releases[manifest.version] ?? unreleased }).toEqual(releases)
})

test("migrations follow each other in time: drizzle leaves out one that is older than the last in a database", () => {
  const times = present.map(({ when }) => when)
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
})
