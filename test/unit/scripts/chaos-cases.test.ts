import { existsSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { CHAOS_CASES } from "../../../scripts/chaos/cases.ts"

const root = new URL("../../../", import.meta.url).pathname

test("there are 30 cases, each with at least one test", () => {
  expect(CHAOS_CASES).toHaveLength(30)
  for (const { proofs } of CHAOS_CASES) expect(proofs.length).toBeGreaterThan(0)
})

test.each(CHAOS_CASES.flatMap(({ name, proofs }) => proofs.map((proof) => ({ name, ...proof }))))(
  "$name: $file contains the named tests",
  ({ file, titles = [] }) => {
    expect(existsSync(root + file)).toBe(true)
    const text = readFileSync(root + file, "utf8")
    for (const title of titles) expect(text).toContain(title)
  },
)
