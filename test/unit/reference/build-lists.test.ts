import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { buildLists } from "../../../scripts/data/lists/build-lists.ts"
import { describeSource, type ListSource, readSource } from "../../../scripts/data/lists/sources.ts"

function named(lists: ListSource["lists"], family: string, ...domains: string[]) {
  const source: ListSource = { package: family, files: [], format: "lines", lists, family }
  return { source, domains: new Set(domains) }
}

/** A list whose maintainers observe or review each name. */
function firstHand(family: string, ...domains: string[]) {
  const { source, ...rest } = named("disposable", family, ...domains)
  return { source: { ...source, isFirstHand: true as const }, ...rest }
}

describe("merging", () => {
  test("a first-hand list makes a domain disposable, any number of other families does not", () => {
    const heard = ["feedspot.com", "stanbondsa.com.au", "e2estudios.com", "seen.com", "zoho.com"]
    const { disposable } = buildLists([
      firstHand("watched", "seen.com", "alone.com", "zoho.com"),
      ...["one", "two", "three"].map((family) => named("disposable", family, ...heard)),
    ])
    expect(disposable).toEqual(["alone.com", "seen.com"])
  })

  test("a first-hand list does not vouch for the other names of its family", () => {
    const { disposable } = buildLists([firstHand("one", "seen.com"), named("disposable", "one", "copied.com")])
    expect(disposable).toEqual(["seen.com"])
  })

  test.each([
    ["temp-mail.world", true],
    ["get-tempmail.com", true],
    ["10minute-email.com", true],
    ["trash-mail.ga", true],
    ["throwaway.io", true],
    ["disposableinbox.xyz", true],
    ["jetable.email", true],
    ["a.b.mailinator.linkpc.net", true],
    ["template-mail.com", false],
    ["minutes.com", false],
    ["disposablegloves.com", false],
    ["mailbox-company.com", false],
  ])("%s states its purpose: %s", (domain, isPacked) => {
    expect(buildLists([named("disposable", "heard", domain)]).disposable).toEqual(isPacked ? [domain] : [])
  })

  test("the allow-list overrides any number of sources", () => {
    const honest = ["zoho.com", "duck.com", "co.uk", "github.io", "mit.edu", "small-college.org", "temp.com"]
    const { disposable, summary } = buildLists([
      firstHand("one", ...honest),
      named("disposable", "two", ...honest),
      named("education", "schools", "small-college.org"),
    ])
    expect(disposable).toEqual(["temp.com"])
    expect(summary.join("\n")).toContain("refused as provider: 1 zoho.com")
  })

  test("one copy of the root zone is enough, and other names are left out", () => {
    const { topLevel } = buildLists([named("top_level", "iana", "org", "com", "xn--p1ai", "co.uk", "рф")])
    expect(topLevel).toEqual(["com", "org", "xn--p1ai"])
  })

  test("a domain on a disposable list is not free, nor is a single host of a company", () => {
    const free = ["webmail-a.com", "once-named.com", "docs.company.com", "duck.com", "gmail.com", "mailinator.com"]
    const built = buildLists([
      named("free", "one", ...free),
      named("free", "two", ...free),
      named("disposable", "three", "once-named.com"),
    ])
    expect(built.free).toEqual(["webmail-a.com"])
    expect(built.honest).toContain("webmail-a.com")
  })

  test("schools with a reserved suffix, and mail providers, are not packed as schools", () => {
    const { education, notSchools } = buildLists([
      named("education", "schools", "mit.edu", "cam.ac.uk", "gmail.com", "college.org", "lab.college.org"),
    ])
    expect(education).toEqual(["college.org"])
    expect(notSchools).not.toContain("college.org")
  })
})

describe("reading a package", () => {
  let folder = ""
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lists-test-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function read(format: ListSource["format"], files: Record<string, string>, wanted: readonly string[]) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, "node_modules/pack", path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    return [...readSource(folder, { package: "pack", files: wanted, format, lists: "disposable", family: "pack" })]
  }

  test("lines, with comments", () => {
    expect(read("lines", { "a.txt": "# c\nA.com\r\n\nb.com # note\n" }, ["a.txt"])).toEqual(["a.com", "b.com"])
  })

  test("quoted names in JSON and in a script, over several files", () => {
    const files = { "a.json": '["a.com", "not a name", "x"]', "b.js": "module.exports = new Set(['b.com','a.com'])" }
    expect(read("quoted", files, ["a.json", "b.js"])).toEqual(["a.com", "b.com"])
  })

  test("a file for each name, with a reversed path", () => {
    const files = { "d/org/college.txt": "College", "d/uk/ac/x.txt": "X", "d/stoplist.txt": "y" }
    expect(read("paths", files, ["d"]).sort()).toEqual(["college.org", "x.ac.uk"])
  })

  test("labels in U-label form", () => {
    expect(read("labels", { "a.json": '["COM", "рф", "中国"]' }, ["a.json"])).toEqual(["com", "xn--p1ai", "xn--fiqs8s"])
  })

  test("version and license come from the package", () => {
    read("lines", { "package.json": '{"version":"1.2.3","license":"MIT"}' }, [])
    const source: ListSource = { package: "pack", files: [], format: "lines", lists: "free", family: "pack" }
    expect(describeSource(folder, source)).toBe("pack 1.2.3 (MIT)")
  })
})
