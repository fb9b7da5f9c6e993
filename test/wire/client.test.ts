import { getEventListeners } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "svix"
import { afterEach, describe, expect, test } from "vitest"
import type { ClientOptions } from "../../src/client/caller.ts"
import { createClient } from "../../src/client/client.ts"
import { ConnectionError, MailverdictError } from "../../src/client/errors.ts"
import { waitForJob } from "../../src/client/resources/lists.ts"
import { verifyWebhook } from "../../src/client/resources/webhooks.ts"

type Behavior = (response: ServerResponse) => void

const GOOD: Behavior = (response) => response.end(JSON.stringify({ email: "a@b.test", valid: true }))
const status =
  (code: number, headers: Record<string, string> = {}): Behavior =>
  (response) =>
    response
      .writeHead(code, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ detail: `status ${code}`, code: `later_${code}` }))
const inProgress = status(409, { "retry-after": "0" })
const reset: Behavior = (response) => response.socket?.resetAndDestroy()
const drip: Behavior = (response) => {
  response.write('{"email":')
  const timer = setInterval(() => response.write(" "), 20)
  response.on("close", () => clearInterval(timer))
}

let server: Server
const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = []

/** A server with one behavior per request. The last one repeats. */
async function serverThat(...behaviors: Behavior[]) {
  return serverWith({}, ...behaviors)
}

async function serverWith(options: ClientOptions, ...behaviors: Behavior[]) {
  seen.length = 0
  server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += String(chunk)
    })
    request.on("end", () => {
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body })
      behaviors[Math.min(seen.length, behaviors.length) - 1]!(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return createClient({ baseUrl, apiKey: "mv_live_test", ...options })
}
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe("the client with a failing service", () => {
  test.each([
    ["a reset", [reset, GOOD], 2],
    ["a 500", [status(500), GOOD], 2],
    ["a 429", [status(429, { "retry-after": "1" }), GOOD], 2],
  ])("retries after %s", async (_, behaviours, tries) => {
    const client = await serverThat(...behaviours)
    expect(await client.call("validateSyntax", { email: "a@b.test" })).toMatchObject({ valid: true })
    expect(seen).toHaveLength(tries)
  })

  test("retries after a slow drip, until an attempt is fast enough", async () => {
    const client = await serverWith({ timeoutMs: 400, maxRetries: 20 }, drip, GOOD)
    expect(await client.call("validateSyntax", { email: "a@b.test" })).toMatchObject({ valid: true })
    expect(seen.length).toBeGreaterThan(1)
  })

  test.each([401, 403, 404, 422])("does not retry after a %i, and reports it", async (code) => {
    const client = await serverThat(status(code, { "x-request-id": "r-1" }))
    const refused = await client.call("validateSyntax", { email: "a@b.test" }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(MailverdictError)
    expect(refused).toMatchObject({ status: code, code: `later_${code}`, message: `status ${code}`, requestId: "r-1" })
    expect(seen).toHaveLength(1)
  })

  test("waits for the answer of a lost attempt, however often the service asks it to retry", async () => {
    const client = await serverThat(reset, inProgress, inProgress, inProgress, GOOD)
    expect(await client.call("validateByBody", { email: "a@b.test" })).toMatchObject({ valid: true })
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    expect(seen).toHaveLength(5)
  })

  test("fails at once instead of waiting for weeks", async () => {
    const client = await serverThat(status(429, { "retry-after": "2678400" }), GOOD)
    const refused = client.call("validateSyntax", { email: "a@b.test" })
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2_678_400 })
    expect(seen).toHaveLength(1)
  })

  test.each([
    ["a lost answer", reset, 1],
    ["a 500", status(500), 1],
    ["a 503", status(503), 1],
    ["a refusal without effect", status(429), 2],
  ])("creates no second key after %s", async (_, behavior, tries) => {
    const client = await serverThat(behavior, GOOD)
    await client.call("createKey", { name: "a", owner_email: "a@b.test" }).catch(() => null)
    expect(seen).toHaveLength(tries)
  })

  test("reports that a lost key may have been created", async () => {
    const client = await serverThat(reset)
    const lost = client.call("createKey", { name: "a", owner_email: "a@b.test" })
    await expect(lost).rejects.toThrow("the request may have taken effect")
  })

  test("reports an invalid header instead of sending a request", async () => {
    await serverThat(GOOD)
    const call = createClient({ apiKey: "mv_live_…" }).call("validateSyntax", { email: "a@b.test" })
    await expect(call).rejects.toBeInstanceOf(TypeError)
  })

  test("fails after three retries, with the reason", async () => {
    const client = await serverThat(reset)
    const lost = await client.call("validateSyntax", { email: "a@b.test" }).catch((error: unknown) => error)
    expect(lost).toBeInstanceOf(ConnectionError)
    expect(lost).toMatchObject({ message: expect.stringMatching(/ after 4 attempts \(read ECONNRESET\)$/) })
    expect(seen).toHaveLength(4)
  })

  // Port 2 is closed. `fetch` itself refuses port 1.
  test.each([
    ["http://127.0.0.1:2", "connect ECONNREFUSED 127.0.0.1:2"],
    ["http://no-such-host.invalid", "getaddrinfo "],
  ])("reports why %s is unreachable", async (baseUrl, reason) => {
    await serverThat(GOOD)
    const client = createClient({ baseUrl, maxRetries: 0 })
    await expect(client.call("validateSyntax", { email: "a@b.test" })).rejects.toThrow(`after 1 attempts (${reason}`)
  })

  test("leaves no listener on a shared signal", async () => {
    const client = await serverThat(status(503), GOOD)
    const { signal } = new AbortController()
    await client.call("validateSyntax", { email: "a@b.test" }, { signal })
    expect(getEventListeners(signal, "abort")).toEqual([])
  })

  test("waits for a job while the service is down, for a limited time", async () => {
    const job = (state: string): Behavior => {
      const body = JSON.stringify({ status: state, progress: 0, total: 1 })
      return (response) => response.end(body)
    }
    const waitWith = async (behaviors: Behavior[], patienceMs?: number) => {
      await serverThat(...behaviors)
      const { port } = server.address() as AddressInfo
      const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 })
      const options = { pollMs: 1, ...(patienceMs === undefined ? {} : { patienceMs }) }
      const ended = await waitForJob(client, "job_1", options).catch((error: unknown) => error)
      server.closeAllConnections()
      server.close()
      return ended
    }
    const back = [job("running"), reset, status(503), status(500), reset, job("complete")]
    expect(await waitWith(back)).toMatchObject({ status: "complete" })
    expect(await waitWith([job("running"), reset, job("complete")], 0)).toBeInstanceOf(ConnectionError)
    expect(await waitWith([reset, job("complete")])).toBeInstanceOf(ConnectionError)
    expect(await waitWith([job("running"), status(404), job("complete")])).toMatchObject({ status: 404 })
  })

  test("stops waiting for a job when the caller aborts", async () => {
    const running: Behavior = (response) => response.end(JSON.stringify({ status: "running", progress: 0, total: 1 }))
    const client = await serverThat(running)
    const stop = new AbortController()
    const onProgress = () => void setImmediate(() => stop.abort(new Error("enough")))
    const waiting = waitForJob(client, "job_1", { pollMs: 3_600_000, signal: stop.signal, onProgress })
    await expect(waiting).rejects.toThrow("enough")
  })

  test("stops when the caller aborts", async () => {
    const stop = new AbortController()
    const onWait = () => void setImmediate(() => stop.abort(new Error("enough")))
    const client = await serverWith({ onWait }, status(503, { "retry-after": "240" }))
    await expect(client.call("validateSyntax", { email: "a@b.test" }, { signal: stop.signal })).rejects.toThrow(
      "enough",
    )
  })
})

describe("a request", () => {
  test("puts each part in its place, and has the same name for every attempt", async () => {
    const client = await serverThat(reset, GOOD)
    await client.call("validateByBody", { email: "a+b@c.test", smtp: false })
    const [first, second] = seen
    expect(first).toMatchObject({ method: "POST", url: "/validate", headers: { "x-api-key": "mv_live_test" } })
    expect(JSON.parse(first!.body)).toEqual({ email: "a+b@c.test", smtp: false })
    expect(first!.headers["idempotency-key"]).toBeTruthy()
    expect(second!.headers["idempotency-key"]).toBe(first!.headers["idempotency-key"])
  })

  test("sends a file as its body, identical in every attempt, with options in the query", async () => {
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

  test("sends the name of a file in a form, identical in every attempt", async () => {
    const client = await serverThat(reset, GOOD)
    await client.lists.upload(new File(["email\r\na@b.test"], 'März "1".csv', { type: "text/csv" }))
    const [first, second] = seen
    expect(second).toMatchObject({ body: first!.body, headers: { "content-type": first!.headers["content-type"] } })
    const headers = { "content-type": String(first!.headers["content-type"]) }
    const form = await new Response(first!.body, { headers }).formData()
    const file = form.get("file") as File
    expect([file.name, file.type, await file.text()]).toEqual(['März "1".csv', "text/csv", "email\r\na@b.test"])
    // This endpoint takes no form.
    await client.suppress.import(new File(["email\na@b.test\n"], "a.csv"))
    expect(seen[2]).toMatchObject({ body: "email\na@b.test\n", headers: { "content-type": "text/csv" } })
  })

  test("without its file is not sent", async () => {
    const client = await serverThat(GOOD)
    for (const upload of [client.lists.upload, client.lists.sample, client.suppress.import])
      await expect(upload(undefined as unknown as Blob)).rejects.toThrow(/^\w+: file is missing$/)
    expect(seen).toEqual([])
  })

  test("sends a Blob instead of the input as the body, identical in every attempt", async () => {
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

  test("returns an answer that is not JSON as text, but only where text was requested", async () => {
    const csv: Behavior = (response) =>
      response.writeHead(200, { "content-type": "text/csv" }).end("email\r\na@b.test\r\n")
    const client = await serverThat(csv)
    expect(await client.call("downloadResults", { job_id: "job_1" })).toBe("email\r\na@b.test\r\n")
    const page: Behavior = (response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>")
    server.close()
    const elsewhere = await serverThat(page)
    const answer = elsewhere.call("validateSyntax", { email: "a@b.test" })
    await expect(answer).rejects.toThrow(/^the server at http:\/\/127\.0\.0\.1:\d+ is not a Mailverdict service$/)
    await expect(answer).rejects.toBeInstanceOf(ConnectionError)
  })

  test("escapes values in the path and query", async () => {
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

  test("accepts an event signed by an independent library, and nothing else", async () => {
    await serverThat(GOOD)
    expect(verifyWebhook(body, signed(new Date()), secret)).toMatchObject({ type: "job.completed" })
    expect(() => verifyWebhook(`${body} `, signed(new Date()), secret)).toThrow()
    expect(() => verifyWebhook(body, signed(new Date(Date.now() - 600_000)), secret)).toThrow()
  })
})
