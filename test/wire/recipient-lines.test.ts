import { describe, expect, test } from "vitest"
import { signLine } from "../../schema/wire/line.ts"
import { Disgrace } from "../../src/adapters/probes/disgrace.ts"
import { type Lie, recipientLines } from "../../src/adapters/probes/recipient-lines.ts"
import { otherSigningKey, rfcSigningKey, rfcTrustedKey } from "../support/signing-keys.ts"

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

/** The stream of a node that sends these payloads, each signed in its place unless it says otherwise. */
async function streamOf(payloads: readonly (object | string)[], { cutAt }: { cutAt?: number } = {}) {
  const lines = await Promise.all(
    payloads.map((payload, seq) =>
      typeof payload === "string" ? `${payload}\n` : signLine(JSON.stringify(payload), seq, NONCE, rfcSigningKey),
    ),
  )
  const text = lines.join("")
  return new Blob([cutAt === undefined ? text : text.slice(0, cutAt)]).stream() as ReadableStream<Uint8Array>
}

async function read(body: ReadableStream<Uint8Array>) {
  const lies: Lie[] = []
  const cuts: number[] = []
  const indexes: number[] = []
  const expected = {
    nonce: NONCE,
    keys: [rfcTrustedKey],
    asked: new Set([0, 1, 2]),
    onLie: (lie: Lie) => lies.push(lie),
    onCut: (lines: number) => cuts.push(lines),
  }
  for await (const line of recipientLines(body, expected)) indexes.push(line.index)
  return { indexes, lies, cuts }
}

describe("what a node sends", () => {
  test("is taken as it comes, up to the end line", async () => {
    const body = await streamOf([recipient(2), recipient(0), recipient(1), END, recipient(1)])
    expect(await read(body)).toEqual({ indexes: [2, 0, 1], lies: [], cuts: [] })
  })

  test("and torn off in the middle of a line, all complete lines are kept", async () => {
    const whole = await signLine(JSON.stringify(recipient(0)), 0, NONCE, rfcSigningKey)
    const body = await streamOf([recipient(0), recipient(1), END], { cutAt: whole.length + 40 })
    expect(await read(body)).toEqual({ indexes: [0], lies: [], cuts: [1] })
  })

  test("about somebody nobody asked about, or about the same one twice, is a lie and dropped", async () => {
    const body = await streamOf([recipient(0), recipient(7), recipient(0), recipient(1), END])
    expect(await read(body)).toEqual({ indexes: [0, 1], lies: ["foreign_recipient", "duplicate_recipient"], cuts: [] })
  })

  test("with a stranger's signature, of another place or shape, is a lie; the third ends the stream", async () => {
    const forged = (await signLine(JSON.stringify(recipient(1)), 0, NONCE, otherSigningKey)).trimEnd()
    const misplaced = (await signLine(JSON.stringify(recipient(1)), 5, NONCE, rfcSigningKey)).trimEnd()
    const body = await streamOf([forged, misplaced, { type: "recipient", index: "1" }, recipient(2), END])
    expect(await read(body)).toEqual({ indexes: [], lies: ["signature", "signature", "shape"], cuts: [3] })
  })
})

test("a node caught lying is asked after all others for ten minutes", () => {
  const disgrace = new Disgrace()
  disgrace.note("a", 1_000)
  expect([disgrace.isIn("a", 1_001), disgrace.isIn("b", 1_001)]).toEqual([true, false])
  expect(disgrace.isIn("a", 1_000 + 10 * 60_000)).toBe(false)
})
