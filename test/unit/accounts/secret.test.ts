import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { isSecretForm, makeSecret, SECRET_ENTROPY_BYTES } from "../../../src/domain/accounts/secret.ts"

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
