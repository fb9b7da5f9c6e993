import { getEventListeners } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import type { ClientOptions } from "../../../src/client/caller.ts"
import { createClient } from "../../../src/client/client.ts"

const FALLBACK = { can_send: true }
const VERDICT = { email: "a@b.test", status: "valid" }

/** A client whose service answers each request by `fetch`. */
const clientThat = (fetch: ClientOptions["fetch"], options: ClientOptions = {}) =>
  createClient({ apiKey: "mv_key", maxRetries: 0, fetch, ...options })
const answers =
  (status: number, headers: Record<string, string> = {}) =>
  async () =>
    Response.json({ detail: `status ${status}` }, { status, headers })

/** A client whose service receives requests and handles them by `listener`. */
async function clientOfServer(listener: RequestListener, options: ClientOptions = {}) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return createClient({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0, ...options })
}

test.each<[string, NonNullable<ClientOptions["fetch"]>]>([
  ["a 500", answers(500)],
  ["a 503", answers(503)],
  ["a 429", answers(429, { "retry-after": "2678400" })],
  ["a request that is still in progress", answers(409, { "retry-after": "2" })],
  ["a lost connection", () => Promise.reject(new TypeError("fetch failed"))],
  ["another server", async () => new Response("<h1>in maintenance</h1>")],
])("the fallback replaces the error of %s", async (_, fetch) => {
  const client = clientThat(fetch)
  await expect(client.verify("a@b.test")).rejects.toThrow()
  expect(await client.verify("a@b.test", { fallback: FALLBACK })).toBe(FALLBACK)
  expect(await client.verify("a@b.test", { fallback: null })).toBeNull()
})

test.each([301, 400, 401, 402, 403, 404, 409, 422])("a %i is thrown, with a fallback too", async (status) => {
  const client = clientThat(answers(status, status === 301 ? { location: "https://other.test/" } : {}))
  const refused = client.verify("a@b.test", { timeoutMs: 60_000, fallback: FALLBACK })
  await expect(refused).rejects.toMatchObject({ name: "MailverdictError", status })
})

test("a key that cannot be sent and an unknown option are thrown, with a fallback too", async () => {
  const client = clientThat(answers(200), { apiKey: "mv_live_…" })
  await expect(client.verify("a@b.test", { fallback: FALLBACK })).rejects.toBeInstanceOf(TypeError)
  const misspelled = { fallback: FALLBACK, timeout: 2 } as object
  await expect(client.verify("a@b.test", misspelled)).rejects.toThrow('unknown field "timeout"')
})

test("the service gets neither the timeout nor the fallback, and its result comes before the fallback", async () => {
  const bodies: unknown[] = []
  const client = clientThat(
    async (_, init) => {
      bodies.push(init?.body)
      return bodies.length === 1 ? new Response(null, { status: 503 }) : Response.json(VERDICT)
    },
    { maxRetries: 1 },
  )
  const options = { smtp: false, timeoutMs: 60_000, fallback: FALLBACK }
  expect(await client.verify("a@b.test", options)).toEqual(VERDICT)
  expect(bodies).toEqual(Array(2).fill('{"smtp":false,"email":"a@b.test"}'))
})

test.each<[string, RequestListener]>([
  ["no answer", () => undefined],
  ["an answer that does not end", (_, response) => void response.write('{"email":')],
])("after the timeout, the fallback replaces %s", async (_, listener) => {
  const client = await clientOfServer(listener)
  expect(await client.verify("a@b.test", { timeoutMs: 50, fallback: FALLBACK })).toBe(FALLBACK)
  const late = client.verify("a@b.test", { timeoutMs: 50 })
  await expect(late).rejects.toMatchObject({ name: "ConnectionError", message: "no answer within 50 ms" })
})

test("the timeout ends the wait for a retry", async () => {
  const waits: number[] = []
  const options = { maxRetries: 3, onWait: (waitMs: number) => void waits.push(waitMs) }
  const client = clientThat(answers(503, { "retry-after": "240" }), options)
  expect(await client.verify("a@b.test", { timeoutMs: 50, fallback: FALLBACK })).toBe(FALLBACK)
  expect(waits).toEqual([240_000])
})

test("a call that the caller aborts throws the caller's reason, with a fallback too", async () => {
  const stop = new AbortController()
  const client = await clientOfServer(() => stop.abort(new Error("the visitor left")))
  const options = { timeoutMs: 60_000, fallback: FALLBACK }
  const stopped = client.verify("a@b.test", options, { signal: stop.signal })
  await expect(stopped).rejects.toThrow("the visitor left")
  await expect(client.verify("a@b.test", options, { signal: stop.signal })).rejects.toThrow("the visitor left")
})

test("a call within a timeout leaves no listener on the caller's signal", async () => {
  const { signal } = new AbortController()
  const client = clientThat(async () => Response.json(VERDICT))
  expect(await client.verify("a@b.test", { timeoutMs: 60_000 }, { signal })).toEqual(VERDICT)
  expect(getEventListeners(signal, "abort")).toEqual([])
})
