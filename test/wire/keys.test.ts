import { expect, test } from "vitest"
import { generateKeyPair, importSigningKey, importTrustedKey } from "../../schema/wire/keys.ts"
import { openLine, signLine } from "../../schema/wire/signature.ts"
import { RFC_PUBLIC } from "../support/providers/signing-keys.ts"

test("a generated pair matches and has its name", async () => {
  const pair = await generateKeyPair("edge-1")
  const signing = await importSigningKey(pair.signingKey)
  const trusted = await importTrustedKey(pair.publicKey)
  expect([signing.keyid, trusted.keyid]).toEqual(["edge-1", "edge-1"])
  expect(await openLine(await signLine("x", 0, "n", signing), 0, "n", [trusted])).toBe("x")
})

test("two generated pairs do not match", async () => {
  const [one, other] = await Promise.all([generateKeyPair("edge-1"), generateKeyPair("edge-1")])
  const signed = await signLine("x", 0, "n", await importSigningKey(one.signingKey))
  expect(await openLine(signed, 0, "n", [await importTrustedKey(other.publicKey)])).toBeNull()
})

test.each(["", "edge-1", `:${RFC_PUBLIC}`, `a b:${RFC_PUBLIC}`, `edge-1:${RFC_PUBLIC}=`, "edge-1:short"])(
  "%j is refused, and is not in the message",
  async (text) => {
    await expect(importTrustedKey(text)).rejects.toThrow(/^a public key is written <keyid>:<43 base64url characters>$/)
    await expect(importSigningKey(text)).rejects.toThrow(/^a signing key is written <keyid>:<43 base64url characters>$/)
  },
)
