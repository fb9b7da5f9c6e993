import { describe, expect, test } from "vitest"
import { measureDisposable } from "../../../scripts/data/lists/build-lists.ts"
import { BUILT_IN, publicFreeDomains, SHIPPED_DISPOSABLE } from "../../../src/domain/reference/active-lists.ts"
import { FREE_CORE } from "../../../src/domain/reference/free-data.ts"
import { fuseFilter } from "../../../src/domain/reference/fuse-filter.ts"
import {
  EDUCATION_SHAPE,
  LIST_SOURCES,
  LIST_VERSION,
  PUBLIC_DISPOSABLE_SHAPE,
} from "../../../src/domain/reference/packed-data.ts"
import { HONEST_DOMAINS, RELAY_DOMAINS } from "../../../src/domain/reference/reviewed-domains.ts"
import { referenceBytes } from "../../../src/domain/reference/tables.ts"

const MAX_FALSE_RATE = 1e-5

test("the list version has a date and a hash, each source a version and a license", () => {
  expect(LIST_VERSION).toMatch(/^20\d\d-[01]\d-[0-3]\d-[0-9a-f]{8}$/)
  expect(LIST_SOURCES.length).toBeGreaterThanOrEqual(2)
  for (const source of LIST_SOURCES) expect(source).toMatch(/^\S+ \d+\.\d+\.\d+ \([A-Z].+\)$/)
})

describe("the packed disposable list", () => {
  const packed = fuseFilter(PUBLIC_DISPOSABLE_SHAPE, () => referenceBytes("disposable.fuse"))

  test("has a false positive for fewer than one name in 100,000", () => {
    const lookups = 1_000_000
    let wrong = 0
    for (let index = 0; index < lookups; index++) if (packed.has(`unlisted-${index}.example`)) wrong++
    // Poisson: at the true rate of 2^-17, 7.6 are expected. More than 20 occur once in 10,000 seeds. The seed is fixed.
    expect(wrong).toBeLessThan(2 * MAX_FALSE_RATE * lookups)
    expect(2 ** -PUBLIC_DISPOSABLE_SHAPE.bits).toBeLessThanOrEqual(MAX_FALSE_RATE)
    expect(2 ** -EDUCATION_SHAPE.bits).toBeLessThanOrEqual(MAX_FALSE_RATE)
  })

  test("has no false positive for a known domain", () => {
    const known = [...FREE_CORE, ...publicFreeDomains(), ...HONEST_DOMAINS, ...RELAY_DOMAINS]
    expect(known.length).toBeGreaterThan(5_000)
    expect(known.filter((domain) => packed.has(domain))).toEqual([])
  })

  test("has its full size, and takes less than three bytes a name", () => {
    expect(SHIPPED_DISPOSABLE.size).toBeGreaterThan(10_000)
    expect(referenceBytes("disposable.fuse").length).toBeLessThan(3 * SHIPPED_DISPOSABLE.size)
  })

  test("finds known services and no ordinary companies, measured on names that its sources did not choose", () => {
    const { missed, mistaken } = measureDisposable(SHIPPED_DISPOSABLE)
    expect(missed.length, missed.join(" ")).toBeLessThanOrEqual(6)
    expect(mistaken.length, mistaken.join(" ")).toBeLessThanOrEqual(1)
  })

  test("the measured companies are not those of the allow-list, which no list can call disposable", () => {
    const mistakenAll = measureDisposable({ size: 0, has: () => true }).mistaken
    expect(mistakenAll).toHaveLength(2_000)
    expect(mistakenAll.filter((domain) => BUILT_IN.allowed.has(domain))).toEqual([])
    expect(measureDisposable({ size: 0, has: () => false }).missed).toHaveLength(300)
  })
})

test("the education list has no mail provider", () => {
  const schools = fuseFilter(EDUCATION_SHAPE, () => referenceBytes("education.fuse"))
  expect([...FREE_CORE, ...publicFreeDomains()].filter((domain) => schools.has(domain))).toEqual([])
})

test("a filter reads its data at the first lookup", () => {
  let reads = 0
  const filter = fuseFilter(EDUCATION_SHAPE, () => {
    reads++
    return referenceBytes("education.fuse")
  })
  expect(reads).toBe(0)
  for (const domain of ["mailbox.test", "school.test"]) filter.has(domain)
  expect(reads).toBe(1)
})
