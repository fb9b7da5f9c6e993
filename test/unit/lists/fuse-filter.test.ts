import fc from "fast-check"
import { expect, test } from "vitest"
import { packFilter } from "../../../scripts/lists/pack-filter.ts"
import { fuseFilter } from "../../../src/domain/lists/fuse-filter.ts"

const name = fc.domain()

test("every packed name is found, and no name asked to be absent", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { minLength: 1, maxLength: 300 }),
      fc.uniqueArray(name, { maxLength: 50 }),
      fc.integer({ min: 8, max: 24 }),
      (names, others, bits) => {
        const absent = others.filter((other) => !names.includes(other))
        const filter = fuseFilter(packFilter({ names, absent, bits }))
        expect(names.filter((each) => !filter.has(each))).toEqual([])
        expect(absent.filter((each) => filter.has(each))).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})

test("narrow fingerprints answer wrongly as often as their width says", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `in-${index}.example`)
  const filter = fuseFilter(packFilter({ names, absent: [], bits: 8 }))
  const asked = 100_000
  let wrong = 0
  for (let index = 0; index < asked; index++) if (filter.has(`out-${index}.example`)) wrong++
  expect(wrong / asked).toBeGreaterThan(0.5 / 256)
  expect(wrong / asked).toBeLessThan(2 / 256)
})

test("the same names make the same filter", () => {
  const input = { names: ["a.example", "b.example", "c.example"], absent: ["d.example"], bits: 17 }
  expect(packFilter(input)).toEqual(packFilter(input))
})

test("a filter that would need a present name to be absent is refused", () => {
  expect(() => packFilter({ names: ["a.example"], absent: ["a.example"], bits: 8 })).toThrow(/no seed/)
})
