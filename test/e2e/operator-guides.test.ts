import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import type { LocalSecrets } from "../../scripts/dev/secrets.ts"
import { ON_SQLD } from "../support/stack/database-server.ts"
import { guide, missingLines, PROJECT, runnable, stepsOf } from "../support/stack/guide-steps.ts"

/**
 * The guides of an operator show the output of a command in a block of text below it. Here each of these commands runs
 * against the local stack, as far as it needs no account elsewhere, and prints what the guide says.
 */
const folder = mkdtempSync(join(tmpdir(), "mailverdict-guides-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let env: Record<string, string>
let servers: Record<string, string>
beforeAll(() => {
  const secrets = JSON.parse(readFileSync(join(inject("dataDir"), "secrets.json"), "utf8")) as LocalSecrets
  const { url, authToken } = inject("database")
  env = {
    ...{ PATH: process.env.PATH!, HOME: folder, DATA_DIR: inject("dataDir"), BASE: inject("stackUrl") },
    ...{ KEY_PEPPER: secrets.keyPepper, ADMIN_SECRET: secrets.adminSecret, EDGE_SIGNING_KEY: secrets.edge.signingKey },
    ...{ DOH_URL: inject("sandbox").dohUrl, WRANGLER_SEND_METRICS: "false", CI: "1" },
  }
  servers = { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken }
})

describe.each([
  ["deploy.md", 7],
  ["self-hosting.md", 2],
])("docs/%s", (document, least) => {
  const steps = stepsOf(document)

  test("shows the output of its commands", () => {
    expect(steps.length).toBeGreaterThanOrEqual(least)
  })

  test.each(steps.map((step) => ({ step, commands: runnable(step) })).filter(({ commands }) => commands !== ""))(
    "$step.heading: $commands",
    ({ step, commands }) => {
      // On one machine the database is a file in DATA_DIR, unless the tests run on sqld.
      const database = document === "deploy.md" || ON_SQLD ? servers : {}
      const { stdout, stderr } = spawnSync("bash", ["-c", commands], {
        cwd: PROJECT,
        env: { ...env, ...database },
        encoding: "utf8",
      })
      const missing = missingLines(step, stdout + stderr)
      expect({ missing, printed: missing.length > 0 ? stdout + stderr : "" }).toEqual({ missing: [], printed: "" })
    },
  )
})

test("each variable of a guide is set before it is used", () => {
  for (const document of ["deploy.md", "self-hosting.md"]) {
    const text = guide(document)
    const known = new Set<string>()
    for (const [, code = ""] of text.matchAll(/^```sh\n(.*?)^```/gms))
      for (const line of code.split("\n")) {
        const used = [...line.matchAll(/\$\{?([A-Z][A-Z_]+)/g)].map(([, name]) => name!)
        const unset = used.filter((name) => !known.has(name) && !text.includes(`\`$${name}\``))
        expect({ document, line, unset }).toEqual({ document, line, unset: [] })
        for (const [, name] of line.matchAll(/(?:^|\s)([A-Z][A-Z_]+)=/g)) known.add(name!)
      }
  }
})
