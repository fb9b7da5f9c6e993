import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
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
const present = journal.entries.map(({ tag, when }): Migration => {
  const sql = readFileSync(new URL(`../../../schema/migrations/${tag}.sql`, import.meta.url))
  return { tag, when, sha256: createHash("sha256").update(sql).digest("hex") }
})

test("the migrations of a release are as it had them, and later ones follow them", () => {
  expect(present.slice(0, frozen.length)).toEqual(frozen)
})

test("this version has an entry once it is released: when package.json has its number", () => {
  const unreleased = present.slice(frozen.length)
  expect({ ...releases, [manifest.version]: releases[manifest.version] ?? unreleased }).toEqual(releases)
})

test("migrations follow each other in time: drizzle leaves out one that is older than the last in a database", () => {
  const times = present.map(({ when }) => when)
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
})
