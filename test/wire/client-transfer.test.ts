import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test, vi } from "vitest"
import { createClient } from "../../src/client/client.ts"
import { ConnectionError, MailverdictError } from "../../src/client/errors.ts"

const servers: Server[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** @returns the server's URL and the requests that it got */
async function serverThat(answer: RequestListener): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    request.resume()
    return answer(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

test.each([301, 302, 303, 307, 308])("a %i takes the key to no other place", async (code) => {
  const other = await serverThat((_, response) => response.end("{}"))
  const location = `${other.url}/validate/syntax`
  const moved = await serverThat((_, response) => response.writeHead(code, { location }).end())
  const client = createClient({ baseUrl: moved.url, apiKey: "mv_live_1", adminSecret: "secret" })
  const refused = await client.call("validateSyntax", { email: "a@b.test" }).catch((error: unknown) => error)
  const message = `the server at ${moved.url} redirects to ${location}. Use the service's own URL`
  expect(refused).toBeInstanceOf(MailverdictError)
  expect(refused).toMatchObject({ status: code, message })
  expect([moved.seen.length, other.seen.length]).toEqual([1, 0])
})

test("a browser's opaque redirect is an error, too", async () => {
  const opaque = Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } })
  const client = createClient({ baseUrl: "http://moved.test", fetch: () => Promise.resolve(opaque) })
  const message = "the server at http://moved.test redirects to another URL. Use the service's own URL"
  await expect(client.usage()).rejects.toMatchObject({ name: "MailverdictError", message })
})

/** A download whose pieces the test sends, and whose timers the test advances. An attempt may take 300 ms. */
function downloadByHand() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  let response!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      response = controller
    },
  })
  const answer: typeof fetch = async (_, init) => {
    init?.signal?.addEventListener("abort", () => response.error(init.signal?.reason))
    return new Response(body)
  }
  const client = createClient({ baseUrl: "http://far.test", timeoutMs: 300, maxRetries: 0, fetch: answer })
  return {
    pieces: client.stream("downloadResults", { job_id: "job_1" }),
    send: () => response.enqueue(Buffer.from("a@b.test\n")),
    end: () => response.close(),
  }
}

test("a download may take longer than the timeout of an attempt, and its reader too", async () => {
  const { pieces, send, end } = downloadByHand()
  for (let n = 0; n < 10; n++) {
    const piece = pieces.next()
    await vi.advanceTimersByTimeAsync(299)
    send()
    expect(await piece).toMatchObject({ value: "a@b.test\n" })
    await vi.advanceTimersByTimeAsync(3_600_000)
  }
  end()
  expect(await pieces.next()).toMatchObject({ done: true })
})

test("a download that stands still ends with an error", async () => {
  const { pieces, send } = downloadByHand()
  send()
  expect(await pieces.next()).toMatchObject({ value: "a@b.test\n" })
  const stopped = pieces.next().catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(300)
  expect(await stopped).toBeInstanceOf(ConnectionError)
  expect(await stopped).toMatchObject({
    message: "the response from http://far.test was cut off (nothing within 300 ms)",
  })
})

test("a download whose connection stands still is closed", async () => {
  const closed = Promise.withResolvers<void>()
  const { url } = await serverThat((_, response) => {
    response.once("close", closed.resolve)
    response.write("a@b.test\n")
  })
  const client = createClient({ baseUrl: url, timeoutMs: 300, maxRetries: 0 })
  const pieces = client.stream("downloadResults", { job_id: "job_1" })
  await expect(pieces.next().then(() => pieces.next())).rejects.toBeInstanceOf(ConnectionError)
  await closed.promise
})

test("a DELETE that finds nothing after a lost answer may have taken effect", async () => {
  let requests = 0
  const { url } = await serverThat((_, response) => {
    if (++requests === 1) response.socket?.resetAndDestroy()
    else response.writeHead(404).end(JSON.stringify({ detail: "no such entry" }))
  })
  const client = createClient({ baseUrl: url })
  const advice = "the request may have taken effect: check before you retry"
  await expect(client.suppress.remove("a@b.test")).rejects.toThrow(advice)
  await expect(client.suppress.remove("a@b.test")).rejects.toMatchObject({ status: 404, message: "no such entry" })
})

test.each(["/mail", "/mail/"])("a service below the path %s of its URL is called there", async (path) => {
  const { url, seen } = await serverThat((_, response) => response.end("{}"))
  await createClient({ baseUrl: `${url}${path}` }).call("validateSyntax", { email: "a@b.test" })
  expect(seen.map((request) => request.url)).toEqual(["/mail/validate/syntax?email=a%40b.test"])
})
