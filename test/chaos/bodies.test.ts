import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { residentBytes, workerdOf } from "../../scripts/bench/process-stats.ts"
import { exampleOf } from "../../scripts/build/openapi-examples.ts"
import { ENDPOINTS } from "../../src/routes/index.ts"
import { growingBodies } from "../support/inputs/growing-bodies.ts"
import { ChaosStack } from "../support/stack/chaos-stack.ts"
import type { OpenApi } from "../support/stack/openapi-requests.ts"
import { exactCpuMsOf } from "../support/stack/process-cpu.ts"

let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  chaos = await ChaosStack.start()
  key = await chaos.newKey()
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(() => chaos.stop())

const send = (at: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${chaos.stack.url}${at}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, ...headers },
    body,
  })
const used = async () => (await chaos.call<{ credits_used: number }>("/usage", { key })).body.credits_used

describe("a compressed body of 300 MB", () => {
  const bomb = gzipSync(Buffer.alloc(300_000_000, "[")) as Uint8Array<ArrayBuffer>

  test.each(["/validate/checks", "/validate/bulk", "/validate/bulk/async", "/keys", "/find-email"])(
    "%s",
    async (at) => {
      const before = residentBytes(workerdOf(process.pid))
      const answer = await send(at, bomb, { "content-encoding": "gzip" })
      expect([400, 413, 415, 422]).toContain(answer.status)
      expect(await answer.json()).toHaveProperty("detail")
      expect(residentBytes(workerdOf(process.pid)) - before).toBeLessThan(128_000_000)
    },
  )

  test("as an upload", async () => {
    const answer = await send("/bulk/upload", bomb, { "content-type": "text/csv", "content-encoding": "gzip" })
    expect([400, 413, 415, 422]).toContain(answer.status)
    expect(await answer.json()).toHaveProperty("detail")
  })
})

describe("names that are special to JavaScript", () => {
  test.each([
    ["of a list", "/validate/bulk", '{"emails":["alice@mailbox.test"],"__proto__":{"emails":["bob@mailbox.test"]}}'],
    ["as addresses", "/validate/bulk", '{"emails":["__proto__","constructor","toString@mailbox.test"]}'],
    ["as prototypes", "/validate/checks", '{"email":"alice@mailbox.test","constructor":{"prototype":{"tier":"x"}}}'],
    ["as ids", "/suppression/add", '{"email":"__proto__@mailbox.test","reason":"manual","__proto__":{"reason":"x"}}'],
  ])("%s change nothing", async (_, at, body) => {
    const answer = await send(at, body)
    expect([200, 400, 422]).toContain(answer.status)
    const plain = await chaos.call("/validate/checks", { key, body: { email: "alice@mailbox.test" } })
    expect(plain).toMatchObject({ status: 200, body: { checks: { status: "valid", email: "alice@mailbox.test" } } })
  })
})

describe("truncated bodies", () => {
  test.each(["/validate/checks", "/validate/bulk", "/validate/bulk/async", "/bulk/upload"])("%s", async (at) => {
    const before = await used()
    const type = at === "/bulk/upload" ? "text/csv" : "application/json"
    const whole = at === "/bulk/upload" ? '"user1@d0810.test' : '{"emails":["user1@d0810.test","user2@d08'
    const answer = await send(at, whole, { "content-type": type })
    expect([400, 422]).toContain(answer.status)
    expect(await answer.json()).toHaveProperty("detail")
    expect(await used()).toBe(before)
  })

  test("a client that disconnects in the middle leaves no job", async () => {
    const abort = new AbortController()
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"emails":["user3@d0810.test",'))
        await new Promise((resolve) => setTimeout(resolve, 300))
        abort.abort()
      },
    })
    const init = { method: "POST", headers: { "content-type": "application/json", "x-api-key": key }, duplex: "half" }
    const sent = fetch(`${chaos.stack.url}/validate/bulk/async`, {
      ...init,
      body: endless,
      signal: abort.signal,
    } as RequestInit)
    await expect(sent).rejects.toThrow()
    await expect.poll(async () => (await chaos.rows("SELECT count(*) AS n FROM jobs"))[0]!.n).toBe(0)
    expect((await chaos.call("/health")).status).toBe(200)
  })
})

describe("the time to answer a body grows no faster than the body", () => {
  /** Characters of the larger body. The smaller one has a quarter. */
  const SIZE = 240_000
  /** Less CPU time cannot be distinguished from other work of the service. */
  const ENOUGH_MS = 40
  /** Linear work costs 4 times as much at four times its size, quadratic work 16 times. */
  const MOST_GROWTH = 9
  /** These end or change what other tests need, or start long jobs. */
  const LASTING =
    /^POST \/(ml\/train|ml\/rollback|catchall-classifier\/train|gdpr\/purge|validate\/bulk\/async|bulk\/upload|benchmark\/run)$/

  const endpoints = ENDPOINTS.flatMap(({ access, route }) => {
    const content = route.request?.body?.content ?? {}
    const call = `${route.method.toUpperCase()} ${route.path}`
    return "application/json" in content && !LASTING.test(call) ? [{ access, call }] : []
  })
  let document: OpenApi
  let pid = 0
  beforeAll(async () => {
    document = (await chaos.call<OpenApi>("/openapi.json")).body
    pid = workerdOf(process.pid)
  })

  test.each(endpoints)("$call", { timeout: 120_000 }, async ({ access, call }) => {
    const [method = "", path = ""] = call.split(" ")
    const schema = document.paths[path]![method.toLowerCase()]!.requestBody!.content["application/json"]!.schema ?? {}
    const example = exampleOf({ ...schema }, { ...document.components.schemas } as Record<
      string,
      Record<string, unknown>
    >)
    const headers = access === "admin" ? { "x-admin-secret": chaos.adminSecret } : {}
    const cpuMs = async (body: string) => {
      const before = exactCpuMsOf(pid)
      await (await send(path.replace(/\{\w+\}/g, "none@d0810.test"), body, { ...headers })).text()
      return exactCpuMsOf(pid) - before
    }
    for (const { what, ofSize } of growingBodies(example, call.length)) {
      const [small, large] = [ofSize(SIZE / 4), ofSize(SIZE)]
      let largeMs = await cpuMs(large)
      if (largeMs < ENOUGH_MS) continue
      let smallMs = await cpuMs(small)
      for (let run = 0; run < 3; run++) {
        smallMs = Math.min(smallMs, await cpuMs(small))
        largeMs = Math.min(largeMs, await cpuMs(large))
      }
      expect([what, largeMs / smallMs > MOST_GROWTH]).toEqual([what, false])
    }
  })
})

test("the service logged no unhandled error", () => {
  expect(chaos.bugs).toEqual([])
})
