import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { isSecretForm, makeSecret, SECRET_ENTROPY_BYTES } from "../../../src/domain/accounts/credentials.ts"
import { createDigests, createSealer } from "../../../src/domain/accounts/crypto.ts"

const secret = fc
  .uint8Array({ minLength: SECRET_ENTROPY_BYTES, maxLength: SECRET_ENTROPY_BYTES, max: 247 })
  .map((bytes) => makeSecret(bytes))

test("a secret has the documented format, and the checksum finds one wrong character", () => {
  fc.assert(
    fc.property(secret, fc.integer({ min: 8, max: 45 }), fc.constantFrom(..."0aZ9"), (text, at, other) => {
      expect(text).toMatch(/^mv_live_[0-9A-Za-z]{38}$/)
      expect(isSecretForm(text)).toBe(true)
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      expect(isSecretForm(changed)).toBe(changed === text)
    }),
  )
})

test("bytes that would make some characters more likely are discarded", () => {
  const biased = new Uint8Array(SECRET_ENTROPY_BYTES).fill(255)
  expect(() => makeSecret(biased)).toThrow(RangeError)
  expect(new Set(Array.from({ length: 50 }, () => makeSecret(randomBytes(SECRET_ENTROPY_BYTES)))).size).toBe(50)
})

test.each(["", "mv_live_", "mv_test_0000000000000000000000000000000000000000", "mv_live_ü", "x".repeat(10_000)])(
  "%s is not a secret",
  (text) => {
    expect(isSecretForm(text)).toBe(false)
  },
)

const PEPPERS = ["a pepper of at least thirty-two letters"]

/** Values that customers and databases hold. Another algorithm would no longer recognize them. */
test("keys, keyed hashes and sealed texts of an earlier version are still recognized", async () => {
  expect(isSecretForm("mv_live_0bCnOzaBmNyZAlMxY9kLwX8jKvW7iJuV0EfgDw")).toBe(true)
  const digests = await createDigests(PEPPERS)
  expect(digests.pepperId).toBe("960ecca2")
  const hash = "9feaf1602b0c75edf34255e6e86ba58657620102bf8a483364bdd60f6decac5b"
  expect(await digests.of("key", "text")).toBe(hash)
  expect(await digests.candidates("key", "text")).toEqual([hash])
  const sealer = await createSealer(PEPPERS, (n) => new Uint8Array(n))
  expect(sealer.keyId).toBe("20588d08f2b7c48a")
  expect(await sealer.open("purpose", "BwcHBwcHBwcHBwcHkGqgikTArB8iD2/p1pc4n97WKtI=")).toBe("text")
  expect(await sealer.open("another", "BwcHBwcHBwcHBwcHkGqgikTArB8iD2/p1pc4n97WKtI=")).toBeNull()
})

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
