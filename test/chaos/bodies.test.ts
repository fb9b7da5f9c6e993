import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { residentBytes, workerdOf } from "../../scripts/bench/process-stats.ts"
import { exampleOf } from "../../scripts/build/docs/code-samples.ts"
import { ENDPOINTS } from "../../src/routes/index.ts"
import { growingBodies } from "../support/inputs/growing-bodies.ts"
import { ChaosStack } from "../support/stack/chaos-stack.ts"
import type { OpenApi } from "../support/stack/openapi-requests.ts"

let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  chaos = await ChaosStack.start()
  key = await chaos.newKey()
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(() => chaos.stop())

const send = (
  at: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  method = "POST",
) =>
  fetch(`${chaos.stack.url}${at}`, {
    method,
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
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"emails":["user3@d0810.test",'))
      },
    })
    const init = { method: "POST", headers: { "content-type": "application/json", "x-api-key": key }, duplex: "half" }
    const sent = fetch(`${chaos.stack.url}/validate/bulk/async`, {
      ...init,
      body: endless,
      signal: abort.signal,
    } as RequestInit)
    const jobs = () => chaos.rows("SELECT status FROM jobs")
    await expect.poll(jobs).toEqual([{ status: "receiving" }])
    abort.abort()
    await expect(sent).rejects.toThrow()
    await expect.poll(jobs).toEqual([])
    expect((await chaos.call("/health")).status).toBe(200)
  })
})

describe("a body of a megabyte is answered, whatever it repeats", () => {
  /**
   * Bytes, next to the limit of 1,000,000. Work that grows with the square of the body would take many minutes, which the
   * test's timeout ends.
   */
  const SIZE = 900_000
  /** These end or change what other tests need, or start long jobs. */
  const LASTING =
    /^POST \/(ml\/train|ml\/rollback|catchall-classifier\/train|gdpr\/purge|validate\/bulk\/async|bulk\/upload|benchmark\/run)$/

  const endpoints = ENDPOINTS.flatMap(({ access, route }) => {
    const content = route.request?.body?.content ?? {}
    const call = `${route.method.toUpperCase()} ${route.path}`
    return "application/json" in content && !LASTING.test(call) ? [{ access, call }] : []
  })
  let document: OpenApi
  beforeAll(async () => {
    document = (await chaos.call<OpenApi>("/openapi.json")).body
  })

  test.each(endpoints)("$call", async ({ access, call }) => {
    const [method = "", path = ""] = call.split(" ")
    const schema = document.paths[path]![method.toLowerCase()]!.requestBody!.content["application/json"]!.schema ?? {}
    const example = exampleOf({ ...schema }, { ...document.components.schemas } as Record<
      string,
      Record<string, unknown>
    >)
    const headers = access === "admin" ? { "x-admin-secret": chaos.adminSecret } : {}
    const at = path.replace(/\{\w+\}/g, "none@d0810.test")
    for (const { what, ofSize } of growingBodies(example, call.length)) {
      const answer = await send(at, ofSize(SIZE), headers, method)
      await answer.text()
      expect([what, answer.status]).not.toEqual([what, 500])
    }
  })
})

test("the service logged no unhandled error", () => {
  expect(chaos.bugs).toEqual([])
})
