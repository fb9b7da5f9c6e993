import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { Settings } from "../../../src/settings.ts"

const source = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")
const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!)

/** Settings of `npm start` that the Worker does not have: read by name, or passed to the sandbox by name. */
function startSettings(): string[] {
  const scripts = ["start", "stack", "parts", "settings", "connection-caps"]
    .map((name) => source(`scripts/dev/${name}.ts`))
    .join("")
  const names = [...named(scripts, /\b(?:settings|env)\.([A-Z][A-Z0-9_]+)/g), ...named(scripts, /"(SANDBOX_[A-Z_]+)"/g)]
  // systemd sets it for the process of a unit.
  return names.filter((name) => name !== "INVOCATION_ID")
}

const known = new Set([
  ...Object.keys(Settings.shape),
  ...named(source("scripts/data/backup.ts"), /\benv\.(BACKUP_[A-Z_]+)/g),
  ...named(source("scripts/update/container.ts"), /\bsettings\.([A-Z]+)/g),
  ...named(source("scripts/data/s3.ts"), /\b(AWS_[A-Z_]+)\b/g),
  ...named(source("probe-node/config.ts"), /"(PROBE_[A-Z0-9_]+)"/g),
  ...startSettings(),
])
const documented = named(source(".env.example"), /^#?([A-Z][A-Z0-9_]*)=/gm)

test(".env.example lists exactly the settings of the Worker, the node, npm start, npm run backup and npm run update", () => {
  expect(documented.toSorted()).toEqual([...known].toSorted())
})

test("the node's README lists every setting of the node", () => {
  const readme = source("probe-node/README.md")
  const rows = named(readme, /`(PROBE_[A-Z0-9_]+)`/g)
  const settings = named(source("probe-node/config.ts"), /"(PROBE_[A-Z0-9_]+)"/g)
  expect(settings.filter((name) => !rows.includes(name))).toEqual([])
})

test("every setting in .env.example has a comment", () => {
  const blocks = source(".env.example").split(/\n\s*\n/)
  const undocumented = blocks.filter((block) => /^#?[A-Z][A-Z0-9_]*=/m.test(block) && !/^# /m.test(block))
  expect(undocumented).toEqual([])
})
