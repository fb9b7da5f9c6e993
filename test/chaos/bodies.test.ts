import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { residentBytes, workerdOf } from "../../scripts/bench/process-stats.ts"
import { ChaosStack } from "../support/chaos-stack.ts"

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

describe("a body packed to burst", () => {
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

  test("as a file", async () => {
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

describe("bodies that end too early", () => {
  test.each(["/validate/checks", "/validate/bulk", "/validate/bulk/async", "/bulk/upload"])("%s", async (at) => {
    const before = await used()
    const type = at === "/bulk/upload" ? "text/csv" : "application/json"
    const whole = at === "/bulk/upload" ? '"user1@d0810.test' : '{"emails":["user1@d0810.test","user2@d08'
    const answer = await send(at, whole, { "content-type": type })
    expect([400, 422]).toContain(answer.status)
    expect(await answer.json()).toHaveProperty("detail")
    expect(await used()).toBe(before)
  })

  test("a client that goes away in the middle leaves nothing behind", async () => {
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

test("nothing of this was a surprise to the service", () => {
  expect(chaos.bugs).toEqual([])
})
