import { describe, expect, test } from "vitest"
import { listsWith, shippedTopLevel, topLevelExists } from "../../../src/domain/reference/active-lists.ts"
import { isTopLevelName, parseListText } from "../../../src/domain/reference/public-lists.ts"
import { planTopLevelUpdate, TOP_LEVEL_LIMITS } from "../../../src/domain/reference/update-plan.ts"

const ROOT = [...shippedTopLevel()]
const made = (count: number) =>
  Array.from({ length: count }, (_, n) => `qz${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}`)
const plan = (lists: readonly (readonly string[])[], { stored = [] as string[], force = false } = {}) =>
  planTopLevelUpdate(
    new Set(stored),
    lists.map((names, n) => ({ name: `source ${n}`, domains: new Set(names) })),
    { force },
  )

test("the shipped list is the root zone in A-label form", () => {
  expect(ROOT.length).toBeGreaterThan(1_300)
  expect(ROOT.filter((name) => !isTopLevelName(name))).toEqual([])
  expect(ROOT).toEqual(expect.arrayContaining(["com", "de", "uk", "arpa", "xn--p1ai", "xn--fiqs8s", "zip"]))
})

test.each([
  ["com", true],
  ["xn--p1ai", true],
  ["comm", false],
  ["con", false],
  ["localdomain", false],
  ["test", null],
  ["example", null],
  ["local", null],
  ["onion", null],
])("%s exists: %s", (tld, exists) => {
  expect(topLevelExists(tld)).toBe(exists)
})

test("a fetched top-level domain exists, and is no class of a domain", () => {
  const lists = listsWith([{ domain: "qznew", origin: "fetched", class: "top_level" }])
  expect([topLevelExists("qznew", lists), topLevelExists("com", lists), topLevelExists("qzold", lists)]).toEqual([
    true,
    true,
    false,
  ])
  expect(lists.overrides.size).toBe(0)
})

test("IANA's list is read: capital letters, a comment, A-labels", () => {
  const text = "# Version 2026112300, Last Updated Mon Nov 23 07:07:01 2026 UTC\nAAA\nCOM\nXN--P1AI\n"
  expect(parseListText(text, isTopLevelName)).toEqual({
    ok: true,
    domains: new Set(["aaa", "com", "xn--p1ai"]),
    unread: [],
  })
  expect(parseListText("example.com\n1\nc_m\nрф\n-a\n", isTopLevelName)).toEqual({ ok: false, reason: "not_a_list" })
})

describe("a refresh", () => {
  test.each([
    ["nothing new", [ROOT], {}, { additions: [], removals: [] }],
    ["a new name", [[...ROOT, "qznew"]], {}, { additions: ["qznew"], removals: [] }],
    ["a known new name", [[...ROOT, "qznew"]], { stored: ["qznew"] }, { additions: [], removals: [] }],
    ["a withdrawn name", [ROOT], { stored: ["qzold"] }, { additions: [], removals: ["qzold"] }],
    ["a shipped name that is gone", [ROOT.slice(1)], {}, { additions: [], removals: [] }],
    [
      "two sources that agree",
      [
        [...ROOT, "qza", "qzb"],
        [...ROOT, "qzb"],
      ],
      {},
      { additions: ["qzb"], removals: [] },
    ],
    ["a large change, forced", [[...ROOT, ...made(300)]], { force: true }, { additions: made(300).sort() }],
  ])("with %s", (_, lists, options, expected) => {
    expect(plan(lists, options)).toMatchObject({ accepted: true, leftOut: [], ...expected })
  })

  test("never adds a reserved name, even when forced", () => {
    const leftOut = [{ domain: "test", reason: "not_a_domain" }]
    expect(plan([[...ROOT, "test"]], { force: true })).toMatchObject({ accepted: true, additions: [], leftOut })
  })

  const { changes } = TOP_LEVEL_LIMITS
  test.each([
    ["no source", [], {}, { reason: "too_few_sources", sources: 0, needed: 1 }],
    ["half of the root zone", [ROOT.slice(700)], {}, { reason: "incomplete", lacking: 700, shipped: ROOT.length }],
    ["another list", [made(50)], {}, { reason: "incomplete" }],
    ["many new names", [[...ROOT, ...made(changes + 1)]], {}, { reason: "too_many_additions", allowed: changes }],
    ["many lost names", [ROOT], { stored: made(changes + 1) }, { reason: "too_many_removals", allowed: changes }],
  ])("with %s is refused", (_, lists, options, refusal) => {
    expect(plan(lists, options)).toMatchObject({ accepted: false, refusal })
  })
})
