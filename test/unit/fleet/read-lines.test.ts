import { describe, expect, test } from "vitest"
import { readLines } from "../../../src/adapters/probes/read-lines.ts"

/** A body of these pieces that closes after them or stays open. */
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

async function first(body: ReadableStream<Uint8Array>): Promise<string | null> {
  for await (const line of readLines(body)) return line
  return null
}

describe("lines of a body", () => {
  test.each([
    ["whole lines", ["a\nb\n"], ["a", "b"]],
    ["lines over pieces", ["a", "b\nc", "d\n"], ["ab", "cd"]],
    ["a torn last line", ["a\nb"], ["a"]],
    ["none", [], []],
    ["an oversized line", [`a\n${"b".repeat(64_001)}`, "\nc\n"], ["a"]],
  ])("%s", async (_, pieces, lines) => {
    const read: string[] = []
    for await (const line of readLines(bodyOf(pieces, { closes: true }).body)) read.push(line)
    expect(read).toEqual(lines)
  })

  test.each([
    ["at its end is not cancelled, which would cost the connection", true, []],
    ["with more to come is", false, ["cancelled"]],
  ])("a body %s when the reader has enough", async (_, closes, told) => {
    const { body, events } = bodyOf(["a\n"], { closes })
    expect(await first(body)).toBe("a")
    expect(events).toEqual(told)
  })
})
