import { getEventListeners } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "svix"
import { afterEach, describe, expect, test } from "vitest"
import { createClient } from "../../src/client/client.ts"
import { ConnectionError, MailverdictError } from "../../src/client/errors.ts"
import { waitForJob } from "../../src/client/jobs.ts"
import { verifyWebhook } from "../../src/client/webhooks.ts"

type Behaviour = (response: ServerResponse) => void

const GOOD: Behaviour = (response) => response.end(JSON.stringify({ email: "a@b.test", valid: true }))
const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response
      .writeHead(code, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ detail: `status ${code}` }))
const held = status(409, { "retry-after": "0" })
const reset: Behaviour = (response) => response.socket?.resetAndDestroy()
const drip: Behaviour = (response) => {
  response.write('{"email":')
  const timer = setInterval(() => response.write(" "), 20)
  response.on("close", () => clearInterval(timer))
}

let server: Server
const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = []

/** A server that does one thing after another, and the last one for ever. */
async function serverThat(...behaviours: Behaviour[]) {
  seen.length = 0
  server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += String(chunk)
    })
    request.on("end", () => {
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body })
      behaviours[Math.min(seen.length, behaviours.length) - 1]!(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return createClient({ baseUrl, apiKey: "mv_live_test", timeoutMs: 400 })
}
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe("the client against a troubled service", () => {
  test.each([
    ["a reset", [reset, GOOD], 2],
    ["a 500", [status(500), GOOD], 2],
    ["a slow drip", [drip, GOOD], 2],
    ["a throttle", [status(429, { "retry-after": "1" }), GOOD], 2],
  ])("comes back after %s", async (_, behaviours, tries) => {
    const client = await serverThat(...behaviours)
    expect(await client.call("validateSyntax", { email: "a@b.test" })).toMatchObject({ valid: true })
    expect(seen).toHaveLength(tries)
  })

  test.each([401, 403, 404, 422])("does not come back after a %i, and says what it was", async (code) => {
    const client = await serverThat(status(code, { "x-request-id": "r-1" }))
    const refused = await client.call("validateSyntax", { email: "a@b.test" }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(MailverdictError)
    expect(refused).toMatchObject({ status: code, message: `status ${code}`, requestId: "r-1" })
    expect(seen).toHaveLength(1)
  })

  test("waits for the answer of a try whose connection was lost, however often it is told to", async () => {
    const client = await serverThat(reset, held, held, held, GOOD)
    expect(await client.call("validateByBody", { email: "a@b.test" })).toMatchObject({ valid: true })
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    expect(seen).toHaveLength(5)
  })

  test("gives back at once what it would wait weeks for", async () => {
    const client = await serverThat(status(429, { "retry-after": "2678400" }), GOOD)
    const refused = client.call("validateSyntax", { email: "a@b.test" })
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2_678_400 })
    expect(seen).toHaveLength(1)
  })

  test.each([
    ["a lost answer", reset, 1],
    ["a 500", status(500), 1],
    ["a 503", status(503), 1],
    ["a refusal before anything was done", status(429), 2],
  ])("makes no second key after %s", async (_, behaviour, tries) => {
    const client = await serverThat(behaviour, GOOD)
    await client.call("createKey", { name: "a", owner_email: "a@b.test" }).catch(() => null)
    expect(seen).toHaveLength(tries)
  })

  test("says that a lost key may have been made", async () => {
    const client = await serverThat(reset)
    const lost = client.call("createKey", { name: "a", owner_email: "a@b.test" })
    await expect(lost).rejects.toThrow("it may have been done all the same")
  })

  test("says what is wrong with a header instead of asking in vain", async () => {
    await serverThat(GOOD)
    const asked = createClient({ apiKey: "mv_live_…" }).call("validateSyntax", { email: "a@b.test" })
    await expect(asked).rejects.toBeInstanceOf(TypeError)
  })

  test("gives up after three retries, and says why", async () => {
    const client = await serverThat(reset)
    const lost = await client.call("validateSyntax", { email: "a@b.test" }).catch((error: unknown) => error)
    expect(lost).toBeInstanceOf(ConnectionError)
    expect(lost).toMatchObject({ message: expect.stringMatching(/ after 4 tries \(read ECONNRESET\)$/) })
    expect(seen).toHaveLength(4)
  }, 15_000)

  test.each([
    ["http://127.0.0.1", "connect ECONNREFUSED 127.0.0.1:"],
    ["http://no-such-host.invalid", "getaddrinfo "],
  ])("tells what is wrong with %s", async (host, reason) => {
    await serverThat(GOOD)
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const client = createClient({ baseUrl: `${host}:${port}`, maxRetries: 0 })
    await expect(client.call("validateSyntax", { email: "a@b.test" })).rejects.toThrow(`after 1 tries (${reason}`)
  })

  test("leaves nothing behind on a signal that many calls share", async () => {
    const client = await serverThat(status(503), GOOD)
    const { signal } = new AbortController()
    await client.call("validateSyntax", { email: "a@b.test" }, { signal })
    expect(getEventListeners(signal, "abort")).toEqual([])
  })

  test("waits on for a job while the service is away, but not for ever", async () => {
    const job = (state: string): Behaviour => {
      const body = JSON.stringify({ status: state, progress: 0, total: 1 })
      return (response) => response.end(body)
    }
    const asked = async (behaviours: Behaviour[], patienceMs?: number) => {
      await serverThat(...behaviours)
      const { port } = server.address() as AddressInfo
      const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 })
      const options = { pollMs: 1, ...(patienceMs === undefined ? {} : { patienceMs }) }
      const ended = await waitForJob(client, "job_1", options).catch((error: unknown) => error)
      server.closeAllConnections()
      server.close()
      return ended
    }
    const back = [job("running"), reset, status(503), status(500), reset, job("complete")]
    expect(await asked(back)).toMatchObject({ status: "complete" })
    expect(await asked([job("running"), reset, job("complete")], 0)).toBeInstanceOf(ConnectionError)
    expect(await asked([reset, job("complete")])).toBeInstanceOf(ConnectionError)
    expect(await asked([job("running"), status(404), job("complete")])).toMatchObject({ status: 404 })
  })

  test("stops waiting for a job when its caller does", async () => {
    const running: Behaviour = (response) => response.end(JSON.stringify({ status: "running", progress: 0, total: 1 }))
    const client = await serverThat(running)
    const stop = new AbortController()
    const onProgress = () => void setTimeout(() => stop.abort(new Error("enough")), 50)
    const waiting = waitForJob(client, "job_1", { pollMs: 3_600_000, signal: stop.signal, onProgress })
    await expect(waiting).rejects.toThrow("enough")
  })

  test("stops when its caller does", async () => {
    const client = await serverThat(status(503))
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error("enough")), 100)
    await expect(client.call("validateSyntax", { email: "a@b.test" }, { signal: stop.signal })).rejects.toThrow(
      "enough",
    )
  })
})

describe("a request", () => {
  test("puts each part where it belongs, and names itself alike on every try", async () => {
    const client = await serverThat(reset, GOOD)
    await client.call("validateByBody", { email: "a+b@c.test", smtp: false })
    const [first, second] = seen
    expect(first).toMatchObject({ method: "POST", url: "/validate", headers: { "x-api-key": "mv_live_test" } })
    expect(JSON.parse(first!.body)).toEqual({ email: "a+b@c.test", smtp: false })
    expect(first!.headers["idempotency-key"]).toBeTruthy()
    expect(second!.headers["idempotency-key"]).toBe(first!.headers["idempotency-key"])
  })

  test("sends a file as its own body, the same on every try, and options beside it", async () => {
    const client = await serverThat(reset, GOOD)
    const file = new Blob(["name,email\r\nÄ,a@b.test\r\n"], { type: "text/plain" })
    await client.call("uploadList", { file, smtp: false, email_column: "email" })
    const [first, second] = seen
    expect(first).toMatchObject({
      url: "/bulk/upload?smtp=false&email_column=email",
      headers: { "content-type": "text/plain", "content-length": String(file.size) },
      body: "name,email\r\nÄ,a@b.test\r\n",
    })
    expect(second).toMatchObject({ body: first!.body, headers: { "content-type": "text/plain" } })
    expect(second!.headers["idempotency-key"]).toBe(first!.headers["idempotency-key"])
    await client.call("importSuppressions", { file: "email\na@b.test\n", reason: "unsubscribe" })
    expect(seen[2]).toMatchObject({
      url: "/suppression/import?reason=unsubscribe",
      headers: { "content-type": "text/csv" },
    })
  })

  test("sends a Blob in place of an input as the body, the same on every try", async () => {
    const client = await serverThat(reset, GOOD)
    await client.call("validateAsync", new Blob(['{"emails":["a@b.test"]}']))
    const { body, headers } = seen[1]!
    expect([seen[0]!.body, body, headers["content-type"]]).toEqual([
      body,
      '{"emails":["a@b.test"]}',
      "application/json",
    ])
    await client.call("uploadList", new Blob(["email\na@b.test\n"]))
    expect(seen[2]).toMatchObject({ body: "email\na@b.test\n", headers: { "content-type": "text/csv" } })
  })

  test("gives an answer that is no JSON as its text, but only where that is what was asked for", async () => {
    const csv: Behaviour = (response) =>
      response.writeHead(200, { "content-type": "text/csv" }).end("email\r\na@b.test\r\n")
    const client = await serverThat(csv)
    expect(await client.call("downloadResults", { job_id: "job_1" })).toBe("email\r\na@b.test\r\n")
    const page: Behaviour = (response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>")
    server.close()
    const elsewhere = await serverThat(page)
    const answer = elsewhere.call("validateSyntax", { email: "a@b.test" })
    await expect(answer).rejects.toThrow(/^what answers at http:\/\/127\.0\.0\.1:\d+ is no Mailverdict service$/)
    await expect(answer).rejects.toBeInstanceOf(ConnectionError)
  })

  test("escapes what goes into path and query", async () => {
    const client = await serverThat(GOOD)
    await client.call("removeSuppression", { email: "a/b+c@d.test" })
    await client.call("validateSyntax", { email: "a+b@c.test" })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "DELETE /suppression/a%2Fb%2Bc%40d.test",
      "GET /validate/syntax?email=a%2Bb%40c.test",
    ])
  })
})

describe("verifyWebhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const body = JSON.stringify({ type: "job.completed", timestamp: "2026-11-21T00:00:00Z", data: { job_id: "job_1" } })
  const signed = (at: Date) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, body),
  })

  test("takes what an independent library signed, and nothing else", async () => {
    await serverThat(GOOD)
    expect(verifyWebhook(body, signed(new Date()), secret)).toMatchObject({ type: "job.completed" })
    expect(() => verifyWebhook(`${body} `, signed(new Date()), secret)).toThrow()
    expect(() => verifyWebhook(body, signed(new Date(Date.now() - 600_000)), secret)).toThrow()
  })
})
