import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import { createBodyMemory } from "../../../src/adapters/accounts/isolate-limits.ts"
import type { AppEnv } from "../../../src/http/endpoint.ts"
import { onError } from "../../../src/http/errors.ts"
import { drainRefused, limitBody, readBytes } from "../../../src/http/request-body.ts"
import { testContext } from "../../support/deps/context.ts"
import { type VirtualClock, virtualClock } from "../../support/mail/virtual-clock.ts"

const START = Date.UTC(2026, 10, 28)
const UPLOAD_BYTES = 20_000_000
const NO_PROXY = { clientIpHeader: "" }

interface Client {
  /** Bytes of each piece, and the time in ms before it. */
  readonly pieces: readonly (readonly [bytes: number, afterMs: number])[]
  /** Sends no end of the body after the pieces. */
  readonly stops?: boolean
}

/** A body that a client sends over time. */
function sent(clock: VirtualClock, { pieces, stops = false }: Client) {
  const left = [...pieces]
  let isCanceled = false
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = left.shift()
        if (next) {
          await clock.sleep(next[1])
          if (!isCanceled) controller.enqueue(new Uint8Array(next[0]).fill(0x20))
        } else if (stops) await new Promise(() => undefined)
        else controller.close()
      },
      cancel() {
        isCanceled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, isCanceled: () => isCanceled }
}

/** Sends a request to an app that reads it whole, as text, or refuses it. */
async function answerTo(client: Client, reading: "upload" | "json" | "refused") {
  const clock = virtualClock(START)
  const ctx = testContext({ clock, bodyMemory: createBodyMemory(), log: () => undefined, config: NO_PROXY })
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    c.set("ctx", ctx)
    await next()
    if (c.res.status >= 400) await drainRefused(c)
  })
  if (reading === "json") app.post("/", limitBody(1_000_000, false), async (c) => c.text(await c.req.text()))
  if (reading === "upload") app.post("/", async (c) => c.text(String((await readBytes(c, UPLOAD_BYTES)).length)))
  app.onError(onError)
  const request = sent(clock, client)
  const init = { method: "POST", body: request.body, duplex: "half" } as RequestInit
  const answer = await clock.run(Promise.resolve(app.request("/", init)))
  return { ...request, status: answer.status, text: await answer.text(), seconds: (clock.now() - START) / 1_000 }
}

const steady = (count: number, bytes: number, everyMs: number) =>
  Array.from({ length: count }, () => [bytes, everyMs] as const)

describe("a body that is read", () => {
  test.each<[string, Client, "upload" | "json", { status: number; seconds: number }]>([
    ["that stops at its first byte", { pieces: [[1, 0]], stops: true }, "json", { status: 408, seconds: 10 }],
    ["that never begins", { pieces: [], stops: true }, "json", { status: 408, seconds: 10 }],
    ["with a byte every 9 s", { pieces: steady(100, 1, 9_000) }, "json", { status: 408, seconds: 30 }],
    ["with a pause of 9 s", { pieces: steady(2, 1, 9_000) }, "json", { status: 200, seconds: 18 }],
    ["of 20 MB at 30 kB a second", { pieces: steady(667, 29_985, 1_000) }, "upload", { status: 200, seconds: 667 }],
    ["of 20 MB at 10 kB a second", { pieces: steady(2_000, 10_000, 1_000) }, "upload", { status: 408, seconds: 60 }],
    [
      "one byte short of its end",
      { pieces: [[UPLOAD_BYTES - 1, 0]], stops: true },
      "upload",
      { status: 408, seconds: 10 },
    ],
  ])("%s", async (_, client, reading, expected) => {
    const { status, seconds, isCanceled } = await answerTo(client, reading)
    expect({ status, seconds: Math.round(seconds) }).toEqual(expected)
    expect(isCanceled()).toBe(expected.status === 408)
  })

  test("names the reason", async () => {
    const { text } = await answerTo({ pieces: [], stops: true }, "json")
    expect(JSON.parse(text)).toEqual({
      code: "timeout",
      detail: expect.stringContaining("the request body stopped or arrived too slowly"),
    })
  })
})

describe("a refused body", () => {
  test.each<[string, Client, { seconds: number; isCanceled: boolean }]>([
    ["that stops at its first byte", { pieces: [[1, 0]], stops: true }, { seconds: 1, isCanceled: true }],
    ["that arrives at once", { pieces: steady(100, 64_000, 0) }, { seconds: 0, isCanceled: false }],
    ["that trickles", { pieces: steady(100, 1, 500) }, { seconds: 5, isCanceled: true }],
  ])("%s", async (_, client, expected) => {
    const { status, seconds, isCanceled } = await answerTo(client, "refused")
    expect({ status, seconds, isCanceled: isCanceled() }).toEqual({ status: 404, ...expected })
  })
})

describe("the memory of bodies", () => {
  const MB = 1_000_000

  test("is bounded for each caller and in sum, and given back", () => {
    const memory = createBodyMemory()
    const held = ["a", "b", "c"].map((subject) => memory.open("uploads", subject))
    const add = (index: number, bytes: number) => memory.add(held[index]!, bytes, START)
    expect([add(0, 20 * MB), add(0, 5 * MB)]).toEqual([null, "subject"])
    expect([add(1, 20 * MB), add(2, 20 * MB)]).toEqual([null, "sum"])
    memory.release(held[0]!)
    expect(add(2, 20 * MB)).toBeNull()
  })

  test("of uploads leaves room for small bodies", () => {
    const memory = createBodyMemory()
    for (const subject of ["a", "b"]) memory.add(memory.open("uploads", subject), 20 * MB, START)
    expect(memory.add(memory.open("bodies", "d"), 8 * MB, START)).toBeNull()
  })

  test("of large bodies never keeps out a small one", () => {
    const memory = createBodyMemory()
    const fill = (subject: string) => memory.add(memory.open("bodies", subject), 8 * MB + 16_384, START)
    expect(["a", "b", "c", "d", "e"].map(fill)).toEqual([null, null, null, null, "sum"])
    const small = memory.open("bodies", "a")
    expect([memory.add(small, 16_384, START), memory.add(small, 1, START)]).toEqual([null, "subject"])
  })

  test("forgets the body of a request that the platform ended", () => {
    const memory = createBodyMemory()
    const [ended, running] = [memory.open("uploads", "a"), memory.open("uploads", "a")]
    memory.add(ended, 20 * MB, START)
    expect(memory.add(running, 20 * MB, START + 60_000)).toBe("subject")
    expect(memory.add(running, 20 * MB, START + 60_001)).toBeNull()
  })

  test("refuses with Retry-After", async () => {
    const clock = virtualClock(START)
    const bodyMemory = createBodyMemory()
    bodyMemory.add(bodyMemory.open("uploads", "unknown"), 24 * MB + 16_384, START)
    const app = new Hono<AppEnv>()
    app.use((c, next) => {
      c.set("ctx", testContext({ clock, bodyMemory, log: () => undefined, config: NO_PROXY }))
      return next()
    })
    app.post("/", async (c) => c.text(String((await readBytes(c, UPLOAD_BYTES)).length)))
    app.onError(onError)
    const answer = await app.request("/", { method: "POST", body: "x".repeat(20_000) })
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "5"])
  })
})
