import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import type { LocalSecrets } from "../../scripts/dev/secrets.ts"
import { ON_SQLD } from "../support/stack/database-server.ts"

/**
 * The guides of an operator show the output of a command in a block of text below it. Here each of these commands runs
 * against the local stack, as far as it needs no account elsewhere, and prints what the guide says.
 */
const project = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "mailverdict-guides-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Commands that change the clone or need another machine. */
const NOT_HERE = /^(git|npm ci|npm run deploy$|systemctl|docker|sudo|cd|install|journalctl)/
/** The local stack has its own settings and addresses. */
const SET_HERE = /^BASE=/

interface Step {
  readonly heading: string
  readonly commands: string
  readonly output: readonly string[]
}

/** The blocks of commands with a block of their output, without the indent of a list. */
function stepsOf(document: string): Step[] {
  const text = readFileSync(join(project, "docs", document), "utf8").replace(/^ {3}/gm, "")
  return text.split(/^##+ /m).flatMap((section) =>
    [...section.matchAll(/^```sh\n((?:(?!^```).)*?)^```\n\n```text\n(.*?)^```/gms)].map(([, code, output]) => ({
      heading: section.slice(0, section.indexOf("\n")),
      commands: code!
        .split("\n")
        .filter((line) => !NOT_HERE.test(line) && !SET_HERE.test(line))
        .join("\n"),
      output: output!.split("\n").filter((line) => line !== ""),
    })),
  )
}

/** A line of the guide as an expression: "…" matches any text. */
const expected = (line: string) =>
  new RegExp(
    line
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join(".*"),
  )

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

  test.each(steps)(
    "$heading: $commands",
    ({ commands, output }) => {
      // On one machine the database is a file in DATA_DIR, unless the tests run on sqld.
      const database = document === "deploy.md" || ON_SQLD ? servers : {}
      const { stdout, stderr } = spawnSync("bash", ["-c", commands], {
        cwd: project,
        env: { ...env, ...database },
        encoding: "utf8",
      })
      const printed = (stdout + stderr).split("\n")
      const missing = output.filter((line) => !printed.some((one) => expected(line).test(one)))
      expect({ missing, printed: missing.length > 0 ? printed : [] }).toEqual({ missing: [], printed: [] })
    },
    60_000,
  )
})

test("each variable of a guide is set before it is used", () => {
  for (const document of ["deploy.md", "self-hosting.md"]) {
    const text = readFileSync(join(project, "docs", document), "utf8").replace(/^ {3}/gm, "")
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
