import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import { createClient } from "../../src/client/client.ts"
import { ConnectionError, MailverdictError } from "../../src/client/errors.ts"

const servers: Server[] = []
afterEach(() => {
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

/** Sends a piece every 100 ms. */
const slowly =
  (pieces: number): RequestListener =>
  (_, response) => {
    let sent = 0
    response.flushHeaders()
    const timer = setInterval(() => {
      if (sent++ < pieces) response.write("a@b.test\n")
      else response.end()
    }, 100)
    response.on("close", () => clearInterval(timer))
  }

test("a download may take longer than the timeout of an attempt", async () => {
  const { url } = await serverThat(slowly(10))
  let text = ""
  const client = createClient({ baseUrl: url, timeoutMs: 600, maxRetries: 0 })
  for await (const piece of client.stream("downloadResults", { job_id: "job_1" })) text += piece
  expect(text).toBe("a@b.test\n".repeat(10))
})

test("a download that stands still ends with an error", async () => {
  const { url } = await serverThat((_, response) => void response.write("a@b.test\n"))
  const pieces = createClient({ baseUrl: url, timeoutMs: 300 }).stream("downloadResults", { job_id: "job_1" })
  expect(await pieces.next()).toMatchObject({ value: "a@b.test\n" })
  const stopped = pieces.next()
  await expect(stopped).rejects.toBeInstanceOf(ConnectionError)
  await expect(stopped).rejects.toThrow(`the response from ${url} was cut off (nothing within 300 ms)`)
})

test("a slow reader of a download has all the time", async () => {
  const { url } = await serverThat((_, response) => response.end("a@b.test\n"))
  const pieces = createClient({ baseUrl: url, timeoutMs: 300 }).stream("downloadResults", { job_id: "job_1" })
  await pieces.next()
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(await pieces.next()).toMatchObject({ done: true })
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
