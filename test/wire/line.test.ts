import fc from "fast-check"
import { expect, test } from "vitest"
import { openLine, signLine } from "../../schema/wire/signature.ts"
import { otherSigningKey, otherTrustedKey, rfcSigningKey, rfcTrustedKey } from "../support/providers/signing-keys.ts"

const NONCE = "b3k2pp5k7z50gnwpyemdAA"
const PAYLOAD = '{"type":"end","recipients":1}'
const TRUSTED = [rfcTrustedKey]
const line = (payload = PAYLOAD, seq = 0, nonce = NONCE) => signLine(payload, seq, nonce, rfcSigningKey)

test("a line is one line of NDJSON and opens to its payload", async () => {
  const text = await line()
  expect(text.indexOf("\n")).toBe(text.length - 1)
  expect(await openLine(text, 0, NONCE, TRUSTED)).toBe(PAYLOAD)
  expect(await openLine(text.trimEnd(), 0, NONCE, [otherTrustedKey, rfcTrustedKey])).toBe(PAYLOAD)
})

test("any payload is preserved, line ends included", async () => {
  const text = fc.string({ unit: "grapheme" })
  await fc.assert(
    fc.asyncProperty(text, fc.nat(5_000), async (payload, seq) => {
      const signed = await signLine(payload, seq, NONCE, rfcSigningKey)
      expect(signed.slice(0, -1)).not.toContain("\n")
      expect(await openLine(signed, seq, NONCE, TRUSTED)).toBe(payload)
    }),
    { numRuns: 50 },
  )
})

const change = (text: string, parts: object) => JSON.stringify({ ...JSON.parse(text), ...parts })
const REFUSED: readonly [string, () => Promise<string>][] = [
  ["of another request", () => line(PAYLOAD, 0, "other-nonce")],
  ["of another place", () => line(PAYLOAD, 1)],
  ["of another place, renumbered", async () => change(await line(PAYLOAD, 1), { seq: 0 })],
  ["of another key", () => signLine(PAYLOAD, 0, NONCE, otherSigningKey)],
  ["with another payload", async () => change(await line(), { payload: PAYLOAD.replace("1", "2") })],
  ["with the signature of another", async () => change(await line(), { sig: JSON.parse(await line("other")).sig })],
  ["without a signature", async () => change(await line(), { sig: undefined })],
  ["with an empty signature", async () => change(await line(), { sig: "" })],
  ["with a signature that is not base64", async () => change(await line(), { sig: "%%%" })],
  ["whose payload is not text", async () => change(await line(), { payload: { type: "end" } })],
  ["cut short", async () => (await line()).slice(0, -10)],
  ["that is not JSON", async () => "hello"],
  ["that is null", async () => "null"],
  ["that is empty", async () => ""],
]

test.each(REFUSED)("refuses a line %s", async (_, make) => {
  expect(await openLine(await make(), 0, NONCE, TRUSTED)).toBeNull()
})

// A nonce is a structured-field string (RFC 8941 §3.3.3), which cannot hold the line end that separates the fields.
test("the fields of a signature cannot overlap", async () => {
  const shifted = await signLine("3\nx", 2, "n1", rfcSigningKey)
  expect(await openLine(change(shifted, { seq: 12 }), 12, "n", TRUSTED)).toBeNull()
  expect(await openLine(change(shifted, { seq: 3, payload: "x" }), 3, "n12", TRUSTED)).toBeNull()
  expect(await openLine(change(shifted, { seq: 23, payload: "x" }), 23, "n1", TRUSTED)).toBeNull()
})

test("trusts no line without a trusted key", async () => {
  expect(await openLine(await line(), 0, NONCE, [])).toBeNull()
})

test("in a stream with reordered, missing or repeated lines, only lines at their own position are opened", async () => {
  const lines = await Promise.all([0, 1, 2].map((seq) => line(`${seq}`, seq)))
  const open = (order: number[]) => Promise.all(order.map((index, seq) => openLine(lines[index]!, seq, NONCE, TRUSTED)))
  expect(await open([0, 1, 2])).toEqual(["0", "1", "2"])
  expect(await open([0, 2, 1])).toEqual(["0", null, null])
  expect(await open([0, 2])).toEqual(["0", null])
  expect(await open([0, 0, 1])).toEqual(["0", null, null])
})
