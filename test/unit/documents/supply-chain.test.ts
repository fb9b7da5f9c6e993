import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { billOfMaterials, isCopyleft, lockedPackages } from "../../../scripts/build/sbom.ts"

const root = new URL("../../../", import.meta.url).pathname
const packages = lockedPackages(root)
const readJson = (path: string) => JSON.parse(readFileSync(`${root}${path}`, "utf8")) as unknown

describe("licenses", () => {
  test.each([
    ["MIT", false],
    ["(MIT OR GPL-3.0-or-later)", false],
    ["LGPL-3.0-or-later", false],
    ["Apache-2.0 AND LGPL-3.0-or-later", false],
    ["MPL-2.0", false],
    ["GPL-3.0-only", true],
    ["AGPL-3.0-or-later", true],
    ["MIT AND AGPL-3.0", true],
    ["BUSL-1.1", true],
    ["SSPL-1.0", true],
  ])("%s: copyleft %s", (license, expected) => {
    expect(isCopyleft(license)).toBe(expected)
  })

  test("every runtime package names its license, and no package is copyleft", () => {
    const runtime = packages.filter(({ isRuntime }) => isRuntime)
    expect(runtime.length).toBeGreaterThan(20)
    expect(runtime.filter(({ license }) => license === "").map(({ name }) => name)).toEqual([])
    expect(packages.filter(({ license }) => isCopyleft(license)).map(({ name }) => name)).toEqual([])
  })
})

test("install scripts run only for packages that are allowed by name", () => {
  const { allowScripts } = readJson("package.json") as { allowScripts: Record<string, boolean> }
  const withScript = new Set(packages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name))
  // npm runs the script of a package without an entry.
  expect([...withScript].toSorted()).toEqual(Object.keys(allowScripts).toSorted())
  // It reports each installation to its author.
  expect(allowScripts["@scarf/scarf"]).toBe(false)
})

test("Scalar's build for browsers brings no other package", () => {
  const scalar = "@scalar/api-reference"
  const { overrides } = readJson("package.json") as { overrides: Record<string, Record<string, string>> }
  const { packages: entries } = readJson("package-lock.json") as {
    packages: Record<string, { dependencies: Record<string, string> }>
  }
  const empty = packages.find(({ name }) => name === "empty-npm-package")!
  const named = Object.keys(entries[`node_modules/${scalar}`]!.dependencies)
  const replaced = named.map((name) => [name, `npm:${empty.name}@${empty.version}`])
  expect(overrides[scalar]).toEqual(Object.fromEntries(replaced))
  expect(packages.filter(({ name }) => name === "vue")).toEqual([])
})

test("every package comes from the registry with a digest in the lockfile", () => {
  const { packages: entries } = readJson("package-lock.json") as {
    packages: Record<string, { resolved?: string; integrity?: string; optional?: boolean; os?: string[] }>
  }
  for (const [path, { resolved, integrity, optional, os }] of Object.entries(entries)) {
    if (path === "") continue
    if (resolved !== undefined) expect(resolved).toMatch(/^https:\/\/registry\.npmjs\.org\//)
    // npm omits the digest of binaries for other systems than the one that wrote the lockfile.
    if (!(optional && os)) expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)])
  }
})

test("the bill of materials lists every package once, and runtime packages with their digests", () => {
  const { components } = billOfMaterials(root) as { components: { purl: string; scope: string; hashes?: object[] }[] }
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(
    new Set(packages.map((one) => `${one.name}@${one.version}`)).size,
  )
  const runtime = components.filter(({ scope }) => scope === "required")
  expect(runtime.length).toBeGreaterThan(20)
  for (const { purl, hashes } of runtime) expect([purl, hashes?.length]).toEqual([purl, 1])
})

describe("secrets in the repository", () => {
  /** Formats of secrets by issuer. */
  const SECRETS: Readonly<Record<string, RegExp>> = {
    "a private key": /-----BEGIN (RSA |EC |OPENSSH |ENCRYPTED )?PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{200,}/,
    "an AWS key": /\b(AKIA|ASIA)[A-Z0-9]{16}\b/,
    "a GitHub token": /\b(ghp|gho|ghs|ghu|github_pat)_[A-Za-z0-9_]{36,}/,
    "a Stripe key": /\b[rs]k_live_[A-Za-z0-9]{20,}/,
    "a Slack token": /\bxox[abprs]-\d{9,}-\d{9,}-[A-Za-z0-9]{20,}/,
    "a Slack webhook": /hooks\.slack\.com\/services\/T[A-Z0-9]{8,}\/B[A-Z0-9]{8,}\/[A-Za-z0-9]{24}/,
    "a SendGrid key": /\bSG\.[\w-]{22}\.[\w-]{43}\b/,
    "a Google key": /\bAIza[\w-]{35}\b/,
    "an npm token": /\bnpm_[A-Za-z0-9]{36}\b/,
    "a Mailverdict API key": /\bmv_live_[0-9A-Za-z]{38}\b/,
    "a webhook secret": /\bwhsec_[A-Za-z0-9+/]{40,}={0,2}/,
  }
  /** Published examples, and keys that only tests use. */
  const EXAMPLES = /^(test\/|docs\/|schema\/wire\/)|AKIAIOSFODNN7EXAMPLE/
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && !/\.(png|ico|bin|gz|xlsx|woff2?)$/.test(path) && path !== "package-lock.json")

  test.each(Object.entries(SECRETS))("%s is in no file", (_, pattern) => {
    const found = files.filter((path) => !EXAMPLES.test(path) && pattern.test(readFileSync(root + path, "utf8")))
    expect(found).toEqual([])
  })

  test("no settings or data file is in the repository", () => {
    expect(
      files.filter((path) => /(^|\/)(\.env|\.dev\.vars|secrets\.json|id_rsa|[^/]+\.(pem|key|db|sqlite))$/.test(path)),
    ).toEqual([])
  })
})
