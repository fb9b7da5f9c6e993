import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { SENDING_PROVIDERS } from "../../../schema/sending-providers.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string) => readFileSync(join(root, path), "utf8")
const markdown = (folder: string) =>
  readdirSync(join(root, folder)).flatMap((name) => (name.endsWith(".md") ? [join(folder, name)] : []))
const DOCUMENTS = ["", "docs", "docs/decisions", "probe-node"].flatMap(markdown)

/** Anchors of a document's headings, as code hosts create them. */
function anchors(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    ),
  )
}

describe.each(DOCUMENTS)("%s", (path) => {
  const text = read(path)

  test("every link has a target", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false
      const [file = "", anchor] = link.split("#")
      const target = file === "" ? path : join(dirname(path), file)
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchors(read(target)).has(anchor))
    })
    expect(broken).toEqual([])
  })

  test("every named script exists", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name]) => name!)
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
    // Only npm finds the pinned Node. The machine's own may not read TypeScript.
    expect(text).not.toMatch(/node scripts\//)
  })
})

test("every script of package.json is an existing file", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> }
  const files = Object.values(scripts).flatMap((line) =>
    [...line.matchAll(/node (\S+\.\w+)/g)].map(([, file]) => file!),
  )
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test("the README takes a minute to read", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(80)
})

describe("docs/webhooks.md", () => {
  const rows = read("docs/webhooks.md")
    .split("\n")
    .map((line) => line.split("|").slice(1, -1))
  const cells = (first: RegExp) => rows.find(([head]) => first.test(head ?? "")) ?? []

  test.each(Object.values(SENDING_PROVIDERS))(
    "names the secret and every event of $name",
    ({ name, secret, events }) => {
      expect(cells(new RegExp(`^ ${name} $`))).toEqual([name, secret.label, secret.where].map((text) => ` ${text} `))
      const column = cells(/^ Recorded as $/).indexOf(` ${name} `)
      for (const [event, kind] of Object.entries(events)) {
        const row = cells(new RegExp(`^ \`${kind === "bounce" ? "hard_bounce" : kind}\``))
        expect(row[column], `${event} of ${name}`).toContain(`\`${event}\``)
      }
    },
  )
})

describe("docs/decisions", () => {
  const PAGES = markdown("docs/decisions").filter((path) => !path.endsWith("README.md"))

  test("the index links to every page", () => {
    const index = read("docs/decisions/README.md")
    expect(PAGES.length).toBeGreaterThan(10)
    expect(PAGES.filter((path) => !index.includes(`](${basename(path)})`))).toEqual([])
  })

  test.each(PAGES)("%s: each decision has context, choice and consequence", (path) => {
    const decisions = read(path).split(/^## /m).slice(1)
    expect(decisions.length).toBeGreaterThan(4)
    const parts = (text: string) => [...text.matchAll(/^- \*\*(\w+):\*\* \S/gm)].map(([, name]) => name)
    const incomplete = decisions.filter((text) => parts(text).join() !== "Context,Choice,Consequence")
    expect(incomplete.map((text) => text.split("\n")[0])).toEqual([])
  })
})

test("docs/architecture.md names files and folders that exist", () => {
  const named = [...read("docs/architecture.md").matchAll(/`((?:src|schema|probe-node|scripts|test|docs)\/[\w./-]*)`/g)]
  expect(named.length).toBeGreaterThan(40)
  expect(named.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

describe("the operator's guide names what exists", () => {
  const guide = read("docs/operating.md")

  test("metrics", () => {
    const sources = [
      "src/services/admin/collect-metrics.ts",
      "src/domain/admin/metrics.ts",
      "src/domain/admin/installation.ts",
    ]
    const code = [...sources, "probe-node/metrics.ts"].map(read).join("")
    const named = [...guide.matchAll(/\b(?:mailverdict_|probe_breaker)[a-z_]+\b/g)].map(([name]) => name)
    expect(new Set(named).size).toBeGreaterThan(8)
    expect(named.filter((name) => !code.includes(name) && !code.includes(name.replace("mailverdict_", "")))).toEqual([])
  })

  test("log lines", () => {
    const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    const sources = files.filter((file) => file.endsWith(".ts")).map((file) => join("src", file))
    const code = [...sources, "scripts/dev/connection-front.ts"].map(read).join("")
    const rows = /\| `event` \|.*?\n\n/s.exec(guide)![0].split("\n").slice(2)
    const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name!))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !code.includes(`log("${name}"`))).toEqual([])
  })
})
