import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { derToRaw } from "../../../src/adapters/suppression/sendgrid.ts"

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const pem = privateKey.export({ type: "pkcs8", format: "pem" })

test("Node's DER signatures convert to Node's raw form", () => {
  for (let i = 0; i < 400; i++) {
    const key = createPrivateKey(pem)
    const der = sign("sha256", Buffer.from(String(i)), key)
    const raw = derToRaw(der)
    expect(raw).toHaveLength(64)
    const back = encode(integer(raw!.subarray(0, 32)), integer(raw!.subarray(32)))
    expect(back).toEqual(new Uint8Array(der))
  }
})

/** An encoder with DER's rules. */
function integer(bytes: Uint8Array): number[] {
  const digits = [...bytes]
  while (digits.length > 1 && digits[0] === 0) digits.shift()
  return digits[0]! >= 0x80 ? [0, ...digits] : digits
}
const tlv = (tag: number, value: readonly number[]) => [tag, value.length, ...value]
const encode = (r: readonly number[], s: readonly number[]) => Uint8Array.from(tlv(0x30, [...tlv(2, r), ...tlv(2, s)]))

const FULL = Array.from({ length: 32 }, () => 0x7f)

describe("only the canonical encoding is accepted", () => {
  test.each<[string, Uint8Array]>([
    ["nothing", new Uint8Array()],
    ["no sequence", Uint8Array.from([0x31, 6, 2, 1, 1, 2, 1, 1])],
    ["a sequence that is too long", Uint8Array.from([0x30, 7, 2, 1, 1, 2, 1, 1])],
    ["a sequence that is too short", Uint8Array.from([0x30, 5, 2, 1, 1, 2, 1, 1])],
    ["a long-form length", Uint8Array.from([0x30, 0x81, 6, 2, 1, 1, 2, 1, 1])],
    ["an indefinite length", Uint8Array.from([0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0])],
    ["trailing bytes", Uint8Array.from([0x30, 6, 2, 1, 1, 2, 1, 1, 0])],
    ["a third integer", Uint8Array.from([0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1])],
    ["one integer", Uint8Array.from([0x30, 3, 2, 1, 1])],
    ["an empty integer", Uint8Array.from([0x30, 5, 2, 0, 2, 1, 1])],
    ["zero", encode([0], [1])],
    ["a negative integer", encode([0x80], [1])],
    ["a redundant leading zero", encode([0, 1], [1])],
    ["33 octets without a zero in front", encode([1, ...FULL], [1])],
    ["34 octets", encode([0, 0x80, ...FULL], [1])],
    ["an integer past the end", Uint8Array.from([0x30, 6, 2, 1, 1, 2, 9, 1])],
    ["another tag", Uint8Array.from([0x30, 6, 3, 1, 1, 2, 1, 1])],
  ])("%s", (_, der) => {
    expect(derToRaw(der)).toBeNull()
  })

  test("every accepted encoding equals the encoder's output", () => {
    const octets = fc.uint8Array({ minLength: 0, maxLength: 80 })
    const nearly = fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 34 }), fc.uint8Array({ minLength: 1, maxLength: 34 }))
      .map(([r, s]) => encode([...r], [...s]))
    fc.assert(
      fc.property(fc.oneof(octets, nearly), (der) => {
        const raw = derToRaw(der)
        if (raw) expect(encode(integer(raw.subarray(0, 32)), integer(raw.subarray(32)))).toEqual(der)
      }),
      { numRuns: 5_000 },
    )
  })
})
