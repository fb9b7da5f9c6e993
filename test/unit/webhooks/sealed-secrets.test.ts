import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { createSealer } from "../../../src/domain/accounts/seal.ts"

const OLD = "an old pepper of thirty-two letters"
const NEW = "a new pepper of thirty-two letters!"

test("a sealed secret opens for its purpose and under its pepper only", async () => {
  const sealer = await createSealer([NEW], randomBytes)
  const other = await createSealer([OLD], randomBytes)
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string(), async (text, purpose) => {
      const sealed = await sealer.seal(purpose, text)
      expect(await sealer.open(purpose, sealed)).toBe(text)
      expect(await sealer.open(`${purpose}x`, sealed)).toBeNull()
      expect(await other.open(purpose, sealed)).toBeNull()
      expect(await sealer.seal(purpose, text)).not.toBe(sealed)
    }),
    { numRuns: 30 },
  )
})

test("after a pepper rotation old secrets still open, and new ones use the new pepper", async () => {
  const sealed = await (await createSealer([OLD], randomBytes)).seal("p", "text")
  const rotated = await createSealer([NEW, OLD], randomBytes)
  expect(await rotated.open("p", sealed)).toBe("text")
  expect(await (await createSealer([NEW], randomBytes)).open("p", await rotated.seal("p", "text"))).toBe("text")
})

test.each(["", "not base64 at all", "AAAA", btoa("x".repeat(60))])("%j does not open", async (sealed) => {
  expect(await (await createSealer([NEW], randomBytes)).open("p", sealed)).toBeNull()
})
