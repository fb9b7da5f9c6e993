import { describe, expect, test } from "vitest"
import { createReplayGuard } from "../../../probe-node/receive.ts"

const START = 1_000_000
const seen = (nonce: string, createdSeconds = START, keyid = "edge-1") => ({ keyid, nonce, createdSeconds })
/** A time after the start, with a system clock that was changed by `stepSeconds` since. */
const up = (seconds: number, stepSeconds = 0) => {
  return { nowMs: (START + seconds + stepSeconds) * 1_000, steadyMs: seconds * 1_000 }
}

describe("replay guard", () => {
  test("refuses a nonce as long as its signature could be valid", () => {
    const guard = createReplayGuard(0)
    expect(guard.check(seen("a"), up(0))).toBe("fresh")
    expect(guard.check(seen("a"), up(1))).toBe("replayed")
    expect(guard.check(seen("a"), up(40))).toBe("replayed")
    expect(guard.check(seen("b"), up(40))).toBe("fresh")
  })

  test("separates the nonces of two keys", () => {
    const guard = createReplayGuard(0)
    expect(guard.check(seen("a"), up(0))).toBe("fresh")
    expect(guard.check(seen("a", START, "edge-2"), up(0))).toBe("fresh")
  })

  test("refuses what was signed before the process started", () => {
    expect(createReplayGuard(0).check(seen("a", START - 1), up(0))).toBe("too_old")
  })

  test("a clock change after the start, as at boot, has no effect", () => {
    const guard = createReplayGuard(0)
    expect(guard.check(seen("a", START + 60 - 18_000), up(60, -18_000))).toBe("fresh")
    expect(guard.check(seen("a", START + 60 - 18_000), up(61, -18_000))).toBe("replayed")
    expect(guard.check(seen("b", START - 1 - 18_000), up(62, -18_000))).toBe("too_old")
    expect(guard.check(seen("c", START + 60 + 18_000), up(60, 18_000))).toBe("fresh")
  })

  test("fails closed when it is full, and recovers when the window has passed", () => {
    const guard = createReplayGuard(0)
    for (let at = 0; at < 100_000; at++) guard.check(seen(`n${at}`), up(0))
    expect(guard.check(seen("one more"), up(0))).toBe("full")
    expect(guard.check(seen("one more", START + 41 - 3_600), up(41, -3_600))).toBe("fresh")
  })
})
