import fc from "fast-check"
import { expect, test } from "vitest"
import { packFilter } from "../../../scripts/data/lists/write-lists.ts"
import { fuseFilter } from "../../../src/domain/reference/fuse-filter.ts"

const name = fc.domain()

function filterOf(input: Parameters<typeof packFilter>[0]) {
  const packed = packFilter(input)
  return fuseFilter(packed, () => packed.data)
}

test("every packed name is present, and every excluded name is absent", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { minLength: 1, maxLength: 300 }),
      fc.uniqueArray(name, { maxLength: 50 }),
      fc.integer({ min: 8, max: 24 }),
      (names, others, bits) => {
        const absent = others.filter((other) => !names.includes(other))
        const filter = filterOf({ names, absent, bits })
        expect(names.filter((each) => !filter.has(each))).toEqual([])
        expect(absent.filter((each) => filter.has(each))).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})

test("the rate of false positives follows the fingerprint width", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `in-${index}.example`)
  const filter = filterOf({ names, absent: [], bits: 8 })
  const lookups = 100_000
  let wrong = 0
  for (let index = 0; index < lookups; index++) if (filter.has(`out-${index}.example`)) wrong++
  expect(wrong / lookups).toBeGreaterThan(0.5 / 256)
  expect(wrong / lookups).toBeLessThan(2 / 256)
})

test("the same names give the same filter", () => {
  const input = { names: ["a.example", "b.example", "c.example"], absent: ["d.example"], bits: 17 }
  expect(packFilter(input)).toEqual(packFilter(input))
})

test("a name that is both packed and excluded is refused", () => {
  expect(() => packFilter({ names: ["a.example"], absent: ["a.example"], bits: 8 })).toThrow(/no seed/)
})
