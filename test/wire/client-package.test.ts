import { execFile } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { runInNewContext } from "node:vm"
import { build } from "esbuild"
import { publint } from "publint"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildClient } from "../../scripts/build/build-client.ts"

const project = mkdtempSync(join(tmpdir(), "mailverdict-consumer-"))
const built = join(project, "built")
const installed = join(project, "node_modules/mailverdict")
const ours = fileURLToPath(new URL("../../node_modules", import.meta.url))
const tsc = join(ours, "typescript/bin/tsc")
let tarball: string

const run = async (command: string, args: readonly string[]) => {
  const env = { ...process.env, npm_config_cache: join(project, "npm-cache") }
  const done = promisify(execFile)(command, args, { cwd: project, env })
  return (await done.catch((failed: { stdout: string }) => failed)).stdout
}
const node = (...args: string[]) => run(process.execPath, args)
/** The file that `npm publish` would upload. */
const pack = async (folder: string) => join(project, (await run("npm", ["pack", "--silent", folder])).trim())

/** A foreign project that has installed the real tarball, offline: the cache is empty, dependencies are tarballs too. */
beforeAll(async () => {
  await buildClient(built)
  tarball = await pack(built)
  const dependencies: string[] = []
  for (const name of ["standardwebhooks", "@stablelib/base64", "fast-sha256"])
    dependencies.push(await pack(join(ours, name)))
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }))
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball, ...dependencies])
  mkdirSync(join(project, "node_modules/@types"), { recursive: true })
  for (const name of ["@types/node", "undici-types"]) symlinkSync(join(ours, name), join(project, "node_modules", name))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

interface PackageManifest {
  readonly version: string
  readonly engines?: { readonly node: string }
  readonly dependencies: Readonly<Record<string, string>>
}
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest

const PROGRAM = `
import { createClient, MailverdictError, verifyWebhook } from "mailverdict"
console.log(typeof createClient({ apiKey: "mv_key" }).lists.upload, typeof MailverdictError, typeof verifyWebhook)
`

test("the installed package runs, with its command line", async () => {
  writeFileSync(join(project, "program.js"), PROGRAM)
  expect(await node("program.js")).toBe("function function function\n")
  expect(await node(join(installed, "cli.js"), "--help")).toContain("Usage: mailverdict")
  expect(await run(join(project, "node_modules/.bin/mailverdict"), ["--version"])).toBe(
    `${manifestOf(installed).version}\n`,
  )
})

test("the tarball has the module, its types, the command line and the texts, and nothing else", () => {
  const files = globSync("**/*", { cwd: installed, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
  const texts = ["LICENSE", "LICENSE-commander", "LICENSE-get-east-asian-width", "README.md", "package.json"]
  expect(names.filter((name) => !name.startsWith("types/")).sort()).toEqual(
    ["cli.js", "mailverdict.js", ...texts].sort(),
  )
  expect(names.filter((name) => name.startsWith("types/") && !name.endsWith(".d.ts"))).toEqual([])
})

test("publint finds nothing to improve", async () => {
  const { messages } = await publint({ pkgDir: built, strict: true })
  expect(messages).toEqual([])
})

test("every module resolution finds the types", async () => {
  const attw = join(ours, "@arethetypeswrong/cli/dist/index.js")
  const report = JSON.parse(await node(attw, tarball, "--profile", "esm-only", "--format", "json")) as {
    analysis: { types: unknown }
    problems?: Record<string, unknown>
  }
  expect(report).toMatchObject({ analysis: { types: { kind: "included" } } })
  // The package is an ES module only, so CommonJS has to load it by import().
  expect(Object.keys(report.problems ?? {})).toEqual(["CJSResolvesToESM"])
})

test("its dependencies require no newer Node than the package declares", () => {
  const oldest = (folder: string) => Number(/\d+/.exec(manifestOf(folder).engines?.node ?? "0")![0])
  const newer = Object.keys(manifestOf(installed).dependencies).filter(
    (name) => oldest(join(ours, name)) > oldest(installed),
  )
  expect(newer).toEqual([])
})

test("a bundle for browsers needs nothing of Node", async () => {
  const source =
    'import { createClient } from "mailverdict"\nglobalThis.verdict = createClient({ fetch }).verify("a@b.test")'
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: project },
    bundle: true,
    write: false,
    platform: "browser",
    logLevel: "silent",
  })
  // Only what browsers and Workers have: no process, no Buffer, no require.
  const page = {
    ...{ URL, Headers, Response, Blob, File, AbortController, AbortSignal, DOMException, TextDecoder, crypto },
    ...{ setTimeout, clearTimeout, performance },
    fetch: async (url: string) => Response.json({ status: "valid", url }),
    verdict: undefined as unknown,
  }
  runInNewContext(outputFiles[0]!.text, page)
  expect(await page.verdict).toEqual({ status: "valid", url: "http://127.0.0.1:8787/validate" })
})

test.each([
  ["--module", "nodenext", "--types", "node", "--exactOptionalPropertyTypes"],
  ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom", "--types", "node"],
])(
  "its types compile in TypeScript projects with other settings: %s %s",
  async (...settings) => {
    // Typical uses: a list of any length, and the headers of Node's requests.
    const use = `
    import type { ErrorCode } from "mailverdict"
    declare const [emails, headers]: [string[], import("node:http").IncomingHttpHeaders]
    const client = createClient({ apiKey: process.env.KEY })
    await client.call("validateTurbo", { emails })
    client.webhooks.verifySignature("", headers, "")
    for await (const { checks } of client.lists.results("job_1", { filter: "can_send" })) checks.email.length
    const answer = await client.verify("a@b.test", { timeoutMs: 2_000, fallback: { can_send: true } })
    const canSend: boolean = "can_send" in answer ? answer.can_send : answer.deliverability_score.can_send
    const { status } = await client.verify("a@b.test", { smtp: false }, { signal: AbortSignal.timeout(1) })
    const code: ErrorCode = "a_code_of_a_later_version"
    const known: Extract<ErrorCode, "not_cached"> = "not_cached"`
    const wrong: Readonly<Record<string, readonly [line: string, code: string]>> = {
      "type.ts": ["export const word: number = status", "TS2322"],
      "code.ts": ['const misspelled: Extract<ErrorCode, "not_cachd"> = "not_cachd"', "TS2322"],
      "operation.ts": ['await client.call("validat", {})', "TS2345"],
      "field.ts": ['await client.call("validateByBody", { email: "a@b.test", smpt: true })', "TS2353"],
      "no-fields.ts": ['await client.call("listKeys", { email: "a@b.test" })', "TS2322"],
      "fallback.ts": ['const { grade } = await client.verify("a@b.test", { fallback: null })', "TS2339"],
      "option.ts": ['await client.verify("a@b.test", { smpt: true })', "TS2353"],
      "client-option.ts": ['createClient({ apikey: "mv_key" })', "TS2561"],
    }
    writeFileSync(join(project, "right.ts"), `${PROGRAM}${use}\nexport const word: string = status\n`)
    for (const [file, [line]] of Object.entries(wrong))
      writeFileSync(join(project, file), `${PROGRAM}${use}\n${line}\n`)
    const files = ["right.ts", ...Object.keys(wrong)]
    const errors = await node(tsc, "--strict", "--noEmit", "--target", "es2023", ...settings, ...files)
    const found = [...errors.matchAll(/^([\w-]+\.ts)\(\d+,\d+\): error (TS\d+)/gm)].map(([, file, code]) => [
      file,
      code,
    ])
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(wrong).map(([file, [, code]]) => [file, code])),
    )
    expect(found).toHaveLength(Object.keys(wrong).length)
  },
  60_000,
)
