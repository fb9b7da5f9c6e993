import { describe, expect, test, vi } from "vitest"
import { LINE_LIMITS } from "../../../schema/wire/probe.ts"
import { readLines } from "../../../src/adapters/fleet/recipient-lines.ts"

/** A body of these chunks that closes after them or stays open. */
function bodyOf(pieces: readonly string[], { closes }: { closes: boolean }) {
  const events: string[] = []
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      if (closes) controller.close()
    },
    cancel: () => void events.push("cancelled"),
  })
  return { body, events }
}

const LONGEST = "b".repeat(LINE_LIMITS.chars)

async function first(body: ReadableStream<Uint8Array>): Promise<string | null> {
  for await (const line of readLines(body)) return line
  return null
}

describe("lines of a body", () => {
  test.each([
    ["whole lines", ["a\nb\n"], ["a", "b"]],
    ["lines across chunks", ["a", "b\nc", "d\n"], ["ab", "cd"]],
    ["a truncated last line", ["a\nb"], ["a"]],
    ["none", [], []],
    ["a line as long as one may be", [`a\n${LONGEST}`, "\nc\n"], ["a", LONGEST, "c"]],
    ["an oversized line", [`a\n${LONGEST}b\nc\n`], ["a", null, "c"]],
    ["an oversized line across chunks", [`a\n${LONGEST}b`, "b", "b\nc\nd", "\n"], ["a", null, "c", "d"]],
    ["an oversized line without an end", [`a\n${LONGEST}b`, "b"], ["a"]],
    ["an oversized line beyond the skip limit", [`a\n${LONGEST}b`, ...Array(4).fill(`${LONGEST}b`), "\nc\n"], ["a"]],
  ])("%s", async (_, pieces, lines) => {
    const read: (string | null)[] = []
    for await (const line of readLines(bodyOf(pieces, { closes: true }).body)) read.push(line)
    expect(read).toEqual(lines)
  })

  test.each([
    ["at its end is not canceled, which would close the connection", true, []],
    ["with more to come is canceled", false, ["cancelled"]],
  ])("a body %s when the reader has enough", async (_, closes, expected) => {
    const { body, events } = bodyOf(["a\n"], { closes })
    expect(await first(body)).toBe("a")
    expect(events).toEqual(expected)
  })

  test("each letter of a slowly arriving line is searched once", async () => {
    const pieces = [...Array(LINE_LIMITS.chars / 10).fill("0123456789"), "\n"]
    const split = vi.spyOn(String.prototype, "split")
    try {
      expect(await first(bodyOf(pieces, { closes: true }).body)).toHaveLength(LINE_LIMITS.chars)
      const searched = split.mock.contexts.map(String).reduce((sum, text) => sum + text.length, 0)
      expect(searched).toBe(LINE_LIMITS.chars + 1)
    } finally {
      split.mockRestore()
    }
  })
})
