import { describe, expect, test } from "vitest"
import { LINE_LIMITS, RecipientLine } from "../../schema/wire/probe.ts"
import { openLine, signLine } from "../../schema/wire/signature.ts"
import { NodePenalties } from "../../src/adapters/fleet/fleet-memory.ts"
import { type ProtocolViolation, recipientLines } from "../../src/adapters/fleet/recipient-lines.ts"
import { otherSigningKey, rfcSigningKey, rfcTrustedKey } from "../support/providers/signing-keys.ts"

const NONCE = "a-nonce"
const recipient = (index: number) => ({
  type: "recipient",
  index,
  outcome: { kind: "reply", stage: "rcpt", reply: { code: 250, enhanced: null, text: "ok", ms: 1 } },
  control: null,
  session: null,
  attempts: [],
  totalMs: 1,
})
const END = { type: "end", recipients: 3 }

/** The stream of a node with these payloads. Objects are signed for their position; strings are sent unchanged. */
async function streamOf(payloads: readonly (object | string)[], { cutAt }: { cutAt?: number } = {}) {
  const lines = await Promise.all(
    payloads.map((payload, seq) =>
      typeof payload === "string" ? `${payload}\n` : signLine(JSON.stringify(payload), seq, NONCE, rfcSigningKey),
    ),
  )
  const text = lines.join("")
  return new Blob([cutAt === undefined ? text : text.slice(0, cutAt)]).stream() as ReadableStream<Uint8Array>
}

async function read(body: ReadableStream<Uint8Array>, { isSignedHead = true } = {}) {
  const violations: ProtocolViolation[] = []
  const cuts: number[] = []
  const indexes: number[] = []
  const expected = {
    nonce: NONCE,
    keys: [rfcTrustedKey],
    requested: new Set([0, 1, 2]),
    isSignedHead: async () => isSignedHead,
    onViolation: (lie: ProtocolViolation) => violations.push(lie),
    onCut: (lines: number) => cuts.push(lines),
  }
  for await (const line of recipientLines(body, expected)) indexes.push(line.index)
  return { indexes, violations, cuts }
}

describe("the lines of a node", () => {
  test("are read in order of arrival, up to the end line", async () => {
    const body = await streamOf([recipient(2), recipient(0), recipient(1), END, recipient(1)])
    expect(await read(body)).toEqual({ indexes: [2, 0, 1], violations: [], cuts: [] })
  })

  test("are read up to the last complete line when the stream is cut", async () => {
    const whole = await signLine(JSON.stringify(recipient(0)), 0, NONCE, rfcSigningKey)
    const body = await streamOf([recipient(0), recipient(1), END], { cutAt: whole.length + 40 })
    expect(await read(body)).toEqual({ indexes: [0], violations: [], cuts: [1] })
  })

  test("about a recipient outside the request, or about one twice, are violations and dropped", async () => {
    const body = await streamOf([recipient(0), recipient(7), recipient(0), recipient(1), END])
    expect(await read(body)).toEqual({
      indexes: [0, 1],
      violations: ["foreign_recipient", "duplicate_recipient"],
      cuts: [],
    })
  })

  test("with an invalid signature, position or shape are violations; the third ends the stream", async () => {
    const forged = (await signLine(JSON.stringify(recipient(1)), 0, NONCE, otherSigningKey)).trimEnd()
    const misplaced = (await signLine(JSON.stringify(recipient(1)), 5, NONCE, rfcSigningKey)).trimEnd()
    const body = await streamOf([forged, misplaced, { type: "recipient", index: "1" }, recipient(2), END])
    expect(await read(body)).toEqual({ indexes: [], violations: ["signature", "signature", "shape"], cuts: [3] })
  })

  test("are not read after the last recipient: nothing more can be yielded", async () => {
    const [first, second, third] = [recipient(0), recipient(1), recipient(2)]
    for (const rest of [["an end line that is not verified"], []])
      expect(await read(await streamOf([first, second, third, ...rest]))).toEqual({
        ...{ indexes: [0, 1, 2], violations: [], cuts: [] },
      })
  })

  test("of another server are no violations of the node", async () => {
    const page = ["<html>", "an error page", "with several lines", "</html>"]
    const another = { isSignedHead: false }
    expect(await read(await streamOf(page), another)).toEqual({ indexes: [], violations: [], cuts: [] })
    expect(await read(await streamOf([]), another)).toEqual({ indexes: [], violations: [], cuts: [] })
    expect(await read(await streamOf([recipient(0), ...page]), another)).toEqual({
      ...{ indexes: [0], violations: ["signature", "signature", "signature"], cuts: [4] },
    })
    expect((await read(await streamOf(page))).violations).toHaveLength(3)
  })

  test("with a time that would distort shared sums are violations", async () => {
    const { outcome } = recipient(1)
    const endless = { ...outcome, reply: { ...outcome.reply, ms: 9e18 } }
    const body = await streamOf([
      { ...recipient(0), totalMs: 9e18 },
      { ...recipient(1), outcome: endless },
      recipient(2),
      END,
    ])
    expect(await read(body)).toEqual({ indexes: [2], violations: ["shape", "shape"], cuts: [] })
  })

  test("that are too long for a recipient do not affect the others", async () => {
    const endless = { ...recipient(0), note: "x".repeat(LINE_LIMITS.chars) }
    const body = await streamOf([endless, recipient(1), recipient(2), END])
    expect(await read(body)).toEqual({ indexes: [1, 2], violations: ["shape"], cuts: [] })
  })

  test("may be as long as the schema allows", async () => {
    // The character with the longest escape in JSON inside JSON.
    const text = (chars: number) => "\u0001".repeat(chars)
    const ms = 2.2250738585072014e-308
    const reply = { code: 599, enhanced: "5.999.999", text: text(2_000), ms }
    const outcome = { kind: "reply", stage: "starttls", reply }
    const attempt = { mxHost: text(253), address: text(64), outcome }
    const largest = {
      ...recipient(Number.MAX_SAFE_INTEGER),
      ...{ outcome, control: outcome, attempts: Array(LINE_LIMITS.attempts).fill(attempt), totalMs: ms },
      session: {
        ...{ mxHost: text(253), address: text(64), sourceIp: text(64), heloName: text(253) },
        ...{ envelopeSender: text(320), greeting: reply, ehlo: reply, mail: reply, connectMs: ms },
        extensions: Array(64).fill(text(64)),
        tls: { protocol: text(32), authorized: false, problem: text(200) },
      },
    }
    expect(RecipientLine.safeParse(largest).error).toBeUndefined()
    for (const longer of [
      { ...largest, attempts: [...largest.attempts, attempt] },
      { ...largest, session: { ...largest.session, mxHost: text(254) } },
      { ...largest, session: { ...largest.session, envelopeSender: text(321) } },
      { ...largest, session: { ...largest.session, tls: { ...largest.session.tls, problem: text(201) } } },
    ])
      expect(RecipientLine.safeParse(longer).success).toBe(false)
    const line = await signLine(JSON.stringify(largest), Number.MAX_SAFE_INTEGER, NONCE, rfcSigningKey)
    expect(line.length).toBeLessThanOrEqual(LINE_LIMITS.chars)
    expect(await openLine(line, Number.MAX_SAFE_INTEGER, NONCE, [rfcTrustedKey])).toBe(JSON.stringify(largest))
  })
})

test("a node with a violation is used last for ten minutes", () => {
  const disgrace = new NodePenalties()
  disgrace.add("a", 1_000)
  expect([disgrace.isActive("a", 1_001), disgrace.isActive("b", 1_001)]).toEqual([true, false])
  expect(disgrace.isActive("a", 1_000 + 10 * 60_000)).toBe(false)
})
