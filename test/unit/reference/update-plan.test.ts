import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { FREE_CORE } from "../../../src/domain/reference/free-data.ts"
import { domainsInMost, refusalOf, withoutChildren } from "../../../src/domain/reference/public-lists.ts"
import { RELAY_DOMAINS } from "../../../src/domain/reference/reviewed-domains.ts"
import { planUpdate, UPDATE_LIMITS } from "../../../src/domain/reference/update-plan.ts"

const temps = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `tempbox${from + index}.com`)

function plan(
  incoming: readonly (readonly string[])[],
  { stored = [], shipped = [], force = false, firstHand = 1 }: Options = {},
) {
  const builtIn = Object.assign(new Set(shipped))
  return planUpdate(
    { builtIn, stored: new Set(stored) },
    incoming.map((names, index) => {
      const domains = new Set(names)
      return { name: `source ${index}`, domains, ...(index < firstHand ? { firstHand: domains } : {}) }
    }),
    { force },
  )
}

interface Options {
  stored?: string[]
  shipped?: string[]
  force?: boolean
  /** How many of the sources, from the first, are first-hand. */
  firstHand?: number
}

test("only new names of at least two sources are added", () => {
  expect(plan([["a.com", "b.com", "c.com"], ["b.com", "c.com", "d.com"], ["e.com"]], { shipped: ["c.com"] })).toEqual({
    accepted: true,
    additions: ["b.com"],
    removals: [],
    leftOut: [],
  })
})

test("names that sources no longer agree on are removed, built-in names stay", () => {
  const sources = [["a.com"], ["a.com"]]
  expect(plan(sources, { stored: ["a.com", "gone.com"], shipped: ["shipped.com"] })).toMatchObject({
    accepted: true,
    additions: [],
    removals: ["gone.com"],
  })
})

test("a subdomain is not added with its parent", () => {
  const names = ["box.tempbox1.com", "tempbox1.com"]
  expect(plan([names, names])).toMatchObject({ additions: ["tempbox1.com"] })
})

test("a subdomain of a built-in name is not added, a stored name that is now built in is removed", () => {
  const names = ["box.shipped.com", "shipped.com", "notshipped.com"]
  expect(plan([names, names], { shipped: ["shipped.com"], stored: ["shipped.com", "notshipped.com"] })).toMatchObject({
    additions: [],
    removals: ["shipped.com"],
  })
})

describe("a name without a first-hand voice", () => {
  const COMPANIES = ["feedly.com", "substack.com", "notion.so", "feedspot.com", "stanbondsa.com.au", "e2estudios.com"]

  test.each(COMPANIES)("%s is not added by any number of sources, even forced", (domain) => {
    const copies = Array.from({ length: 5 }, () => [domain])
    for (const force of [false, true])
      expect(plan([["seen.com"], ["seen.com"], ...copies], { force })).toMatchObject({ additions: ["seen.com"] })
  })

  test("a first-hand source alone adds nothing, because a refresh has no reviewer", () => {
    expect(plan([["one.com"], ["two.com"]], { firstHand: 2 })).toMatchObject({ additions: [] })
  })

  test.each(["temp-mail.world", "trashinbox.net", "10minute-email.com", "throwaway.io", "box.fakemail.example.com"])(
    "%s is added: it states its purpose",
    (domain) => expect(plan([[domain], [domain]], { firstHand: 0 })).toMatchObject({ additions: [domain] }),
  )

  test("a stored name that loses its first-hand voice is removed", () => {
    const sources = [["was.com"], ["was.com"]]
    expect(plan(sources, { stored: ["was.com"], firstHand: 0 })).toMatchObject({ removals: ["was.com"] })
  })

  test("a protected name in such lists still shows a poisoned list", () => {
    const sources = [["gmail.com"], ["gmail.com"]]
    expect(plan(sources, { firstHand: 0 })).toMatchObject({ accepted: false, refusal: { reason: "poisoned" } })
  })
})

test("a single source is refused, even when forced", () => {
  for (const force of [false, true]) {
    expect(plan([["a.com"]], { force })).toEqual({
      accepted: false,
      refusal: { reason: "too_few_sources", sources: 1, needed: 2 },
    })
  }
})

describe("a poisoned list", () => {
  test.each([
    ["gmail.com", "provider"],
    ["comcast.net", "provider"],
    ["consultant.com", "provider"],
    ["forwardemail.net", "relay"],
    ["improvmx.com", "provider"],
    ["duck.com", "relay"],
    ["privaterelay.appleid.com", "relay"],
    ["com.ar", "public_suffix"],
    ["co.uk", "public_suffix"],
    ["github.io", "public_suffix"],
    ["com", "not_a_domain"],
    ["temp.invalidtld", "not_a_domain"],
    ["stanford.edu", "institution"],
    ["cam.ac.uk", "institution"],
    ["ethz.ch", "provider"],
    ["whitehouse.gov", "institution"],
    ["interieur.gouv.fr", "institution"],
  ] as const)("cannot add %s (%s), even forced", (domain, reason) => {
    const names = [domain, "tempbox1.com"]
    expect(plan([names, names], { force: true })).toEqual({
      accepted: true,
      additions: ["tempbox1.com"],
      removals: [],
      leftOut: [{ domain, reason }],
    })
  })

  test("is refused completely when it contains a flagship", () => {
    const names = ["outlook.com", "tempbox1.com"]
    expect(plan([names, names])).toEqual({
      accepted: false,
      refusal: { reason: "poisoned", protectedNames: [{ domain: "outlook.com", reason: "provider" }] },
    })
  })

  test("is refused completely when it contains many providers", () => {
    const some = [...FREE_CORE].filter((name) => name.endsWith(".net"))
    const many = [...FREE_CORE].filter((name) => !/gmail|google|outlook|hotmail|live|yahoo|aol/.test(name))
    expect(plan([some.slice(0, 20), some.slice(0, 20)])).toMatchObject({
      accepted: false,
      refusal: { reason: "poisoned" },
    })
    expect(plan([many, many])).toMatchObject({ accepted: false, refusal: { reason: "poisoned" } })
  })
})

describe("size of the change", () => {
  const shipped = temps(20_000)
  const mayAdd = shipped.length * UPDATE_LIMITS.maxAddedShare

  test("additions up to the limit pass, more are refused unless forced", () => {
    const allowed = temps(mayAdd, 50_000)
    const over = temps(mayAdd + 1, 50_000)
    expect(plan([allowed, allowed], { shipped })).toMatchObject({ accepted: true })
    expect(plan([over, over], { shipped })).toEqual({
      accepted: false,
      refusal: { reason: "too_many_additions", changes: mayAdd + 1, allowed: mayAdd },
    })
    expect(plan([over, over], { shipped, force: true })).toMatchObject({ accepted: true })
  })

  test("stored names that are now built in do not count as lost", () => {
    expect(plan([shipped, shipped], { shipped, stored: shipped.slice(0, 2_000) })).toMatchObject({ accepted: true })
  })

  test("an emptied source cannot empty the list", () => {
    const stored = temps(UPDATE_LIMITS.freeChanges + 1)
    expect(plan([[], []], { stored })).toEqual({
      accepted: false,
      refusal: {
        reason: "too_many_removals",
        changes: UPDATE_LIMITS.freeChanges + 1,
        allowed: UPDATE_LIMITS.freeChanges,
      },
    })
    expect(plan([[], []], { stored, force: true })).toMatchObject({ removals: [...stored].sort() })
  })
})

test("an accepted plan adds no protected name, and applying it twice has no further effect", () => {
  const mixed = fc.constantFrom(...FREE_CORE, ...RELAY_DOMAINS, "com.ar", "co.uk", "stanford.edu", ...temps(40))
  const source = fc.uniqueArray(mixed, { maxLength: 60 })
  const empty = { has: () => false }
  const protectedNames = { providers: FREE_CORE, relays: RELAY_DOMAINS, schools: empty }
  fc.assert(
    fc.property(fc.array(source, { minLength: 2, maxLength: 4 }), fc.boolean(), (incoming, force) => {
      const first = plan(incoming, { force })
      if (!first.accepted) return
      expect(first.additions.filter((domain) => refusalOf(domain, protectedNames) !== null)).toEqual([])
      expect(plan(incoming, { force, stored: [...first.additions] })).toMatchObject({ additions: [], removals: [] })
    }),
  )
})

test("a source counts once, and a parent must match a whole label", () => {
  const sources = [
    { name: "a", domains: new Set(["x.com", "y.com"]) },
    { name: "b", domains: new Set(["y.com", "z.com"]) },
  ]
  expect(domainsInMost(sources, 2)).toEqual(new Set(["y.com"]))
  expect(domainsInMost(sources, 1)).toEqual(new Set(["x.com", "y.com", "z.com"]))
  expect(withoutChildren(new Set(["a.b.com", "b.com", "ab.com", "a.c.com"]))).toEqual(
    new Set(["b.com", "ab.com", "a.c.com"]),
  )
})
