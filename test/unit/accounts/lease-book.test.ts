import { describe, expect, test } from "vitest"
import { LeaseBook, type LeaseTerms } from "../../../src/domain/accounts/lease-book.ts"

const TERMS: LeaseTerms = { subject: "acc", limit: 1_000, keyId: "kid", period: "2026-11" }
const MINUTE = 60_000
const spend = (chargeId: string, credits = 1, terms = TERMS) => ({ ...terms, chargeId, credits })

/** A book with a lease of ten credits, opened at 0, of a month with 100 credits used before. */
function opened(size = 10, terms = TERMS) {
  const book = new LeaseBook()
  book.open(book.begin(terms, "l1", 0), { size, source: "month", used: 100 + size, boughtLeft: null }, 0)
  return book
}

test("a lease is spent credit by credit, and a refund can be spent again", () => {
  const book = opened(3)
  expect(["a", "b", "c", "d"].map((id) => book.spend(spend(id), 1))).toEqual([101, 102, 103, null])
  book.settle("b", 0, 2)
  book.settle("b", 0, 2)
  book.settle("c", 9, 2)
  expect(["e", "f"].map((id) => book.spend(spend(id), 3))).toEqual([103, null])
  expect(book.settlements()).toEqual([])
})

describe("a lease pays only for calls", () => {
  test.each([
    ["of the same terms", TERMS, 101],
    ["not of another key", { ...TERMS, keyId: "other" }, null],
    ["not of another month", { ...TERMS, period: "2026-12" }, null],
    ["not after a change of the limit", { ...TERMS, limit: 100 }, null],
    ["not of an account that took over the key", { ...TERMS, subject: "acc_2" }, null],
  ])("%s", (_, terms, used) => {
    expect(opened().spend(spend("a", 1, terms), 1)).toBe(used)
  })

  test("for five minutes", () => {
    const book = opened()
    expect(book.spend(spend("a"), 5 * MINUTE - 1)).toBe(101)
    expect(book.spend(spend("b"), 5 * MINUTE)).toBe(null)
  })

  test("until it is retired", () => {
    const book = opened()
    book.spend(spend("a"), 1)
    book.retire()
    expect(book.spend(spend("b"), 1)).toBe(null)
    expect(book.settlements()).toEqual([{ id: "l1", keep: 1, paid: null }])
    book.settled(book.settlements())
    expect(book.settlements()).toEqual([])
    book.settle("a", 1, 2)
    expect(book.settlements()).toEqual([{ id: "l1", keep: 1, paid: 1 }])
    book.settled(book.settlements())
    expect(book.leases).toEqual([])
  })
})

describe("the size of a block", () => {
  test.each([
    { about: "the first spend of a quiet limiter", spent: [], at: 0, wanted: 1 },
    { about: "the second within a minute", spent: [[1, 0]], at: 59_000, wanted: 10 },
    { about: "the second after more than a minute", spent: [[1, 0]], at: 61_000, wanted: 1 },
    { about: "half a minute at the recent rate", spent: [[60, 0]], at: 0, wanted: 61 },
    { about: "a rate that has fallen", spent: [[60, 0]], at: 30_000, wanted: 24 },
    { about: "at most a thousand", spent: [[5_000, 0]], at: 0, wanted: 1_000 },
  ])("$about", ({ spent, at, wanted }) => {
    const book = opened(10_000)
    for (const [credits, now] of spent) book.spend(spend("a", credits), now!)
    expect(book.wanted(1, at)).toBe(wanted)
  })

  test("approaches half a minute of a steady rate", () => {
    const book = opened(10_000)
    for (let n = 0; n < 600; n++) book.spend(spend(`${n}`), n * 200)
    expect(book.wanted(1, 120_000)).toBeGreaterThan(140)
    expect(book.wanted(1, 120_000)).toBeLessThan(155)
  })
})

describe("time", () => {
  test("an idle lease is returned after ten seconds, one with a running call stays", () => {
    const book = opened()
    book.spend(spend("a"), 1_000)
    book.tidy(60_000)
    expect(book.settlements()).toEqual([])
    book.settle("a", 1, 60_000)
    expect(book.dueAt()).toBe(70_000)
    book.tidy(70_000)
    expect(book.settlements()).toEqual([{ id: "l1", keep: 1, paid: 1 }])
  })

  test("a spend without a settlement ends after five minutes at no cost, also when it is settled later", () => {
    const book = opened()
    book.spend(spend("a"), 1_000)
    book.tidy(1_000 + 5 * MINUTE)
    book.settle("a", 1, 1_001 + 5 * MINUTE)
    expect(book.settlements()).toEqual([{ id: "l1", keep: 0, paid: 0 }])
  })
})

describe("an opening without an answer", () => {
  test("is repeated under its id by the next one of the same terms", () => {
    const book = new LeaseBook()
    expect(book.begin(TERMS, "l1", 0)).toBe("l1")
    expect(book.begin(TERMS, "l2", 1)).toBe("l1")
    expect(book.begin({ ...TERMS, keyId: null }, "l3", 1)).toBe("l3")
  })

  test("is settled at no cost in a later instance", () => {
    const crashed = new LeaseBook()
    crashed.begin(TERMS, "l1", 0)
    const book = new LeaseBook(structuredClone(crashed.leases))
    book.tidy(book.dueAt()!)
    expect(book.settlements()).toEqual([{ id: "l1", keep: 0, paid: 0 }])
    book.open("l1", { size: 10, source: "month", used: 10, boughtLeft: null }, 20_000)
    expect(book.spend(spend("a"), 20_000)).toBe(null)
  })
})

test("settlements that arrive in another order never block returned credits again", () => {
  const book = opened()
  for (const id of ["a", "b"]) book.spend(spend(id), 1)
  book.retire()
  const first = book.settlements()
  book.settle("a", 0, 2)
  const second = book.settlements()
  book.settled(second)
  book.settled(first)
  expect(book.leases.map(({ size }) => size)).toEqual([1])
})

test("the used credits include the calls of all leases, and none that are only leased", () => {
  const book = opened()
  const other = { ...TERMS, keyId: "other" }
  book.spend(spend("a"), 1)
  // The ledger counts both leases in full: 100 + 10 + 20.
  book.open(book.begin(other, "l2", 2), { size: 20, source: "month", used: 130, boughtLeft: null }, 2)
  expect(book.spend(spend("b", 2, other), 3)).toBe(103)
  expect(book.spend(spend("c"), 4)).toBe(104)
  book.countCharge(TERMS, 50)
  book.settle("a", 0, 5)
  expect(book.spend(spend("d", 1, other), 6)).toBe(154)
  expect(book.unspent(TERMS)).toBe(26)
})
