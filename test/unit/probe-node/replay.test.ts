import { describe, expect, test } from "vitest"
import { createReplayGuard } from "../../../probe-node/replay.ts"

const START = 1_000_000
const seen = (nonce: string, createdSeconds = START, keyid = "edge-1") => ({ keyid, nonce, createdSeconds })

describe("replay guard", () => {
  test("refuses a nonce for as long as its signature could be good", () => {
    const guard = createReplayGuard(START)
    expect(guard.check(seen("a"), START)).toBe("fresh")
    expect(guard.check(seen("a"), START + 1)).toBe("replayed")
    expect(guard.check(seen("a"), START + 40)).toBe("replayed")
    expect(guard.check(seen("b"), START + 40)).toBe("fresh")
  })

  test("keeps the nonces of two keys apart", () => {
    const guard = createReplayGuard(START)
    expect(guard.check(seen("a"), START)).toBe("fresh")
    expect(guard.check(seen("a", START, "edge-2"), START)).toBe("fresh")
  })

  test("refuses what was signed before the process started", () => {
    expect(createReplayGuard(START).check(seen("a", START - 1), START)).toBe("too_old")
  })

  test("fails closed when it is full, and recovers when the window has passed", () => {
    const guard = createReplayGuard(START)
    for (let at = 0; at < 100_000; at++) guard.check(seen(`n${at}`), START)
    expect(guard.check(seen("one more"), START)).toBe("full")
    expect(guard.check(seen("one more"), START + 41)).toBe("fresh")
  })
})
