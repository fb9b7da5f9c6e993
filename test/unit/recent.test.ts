import fc from "fast-check"
import { expect, test } from "vitest"
import { Recent } from "../../src/domain/recent.ts"

test("holds at least the last `capacity` entries, drops deleted ones, and never returns another key's value", () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 30 }), act: fc.constantFrom("set", "get", "delete") })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const recent = new Recent<number>(5)
      const model = new Map<number, number>()
      let used: number[] = []
      for (const [at, { key, act }] of steps.entries()) {
        const name = String(key)
        if (act === "set") {
          recent.set(name, at)
          model.set(key, at)
          used = [...used.filter((one) => one !== key), key]
        } else if (act === "delete") {
          recent.delete(name)
          model.delete(key)
          used = used.filter((one) => one !== key)
        } else {
          const found = recent.get(name)
          if (found !== undefined) {
            expect(found).toBe(model.get(key))
            used = [...used.filter((one) => one !== key), key]
          } else expect(used.slice(-5)).not.toContain(key)
        }
      }
      const values = [...recent.values()]
      expect(values).toEqual(expect.arrayContaining(used.slice(-5).map((key) => model.get(key))))
      expect(values.toSorted()).toEqual(
        [...new Set(values)].filter((at) => [...model.values()].includes(at)).toSorted(),
      )
    }),
  )
})
