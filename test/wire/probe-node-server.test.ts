import { connect } from "node:net"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { EngineDeps } from "../../probe-node/probe.ts"
import { NodeHealth } from "../../schema/wire/health.ts"
import { generateKeyPair, importSigningKey } from "../../schema/wire/keys.ts"
import { HEALTH_PATH, PROBE_LIMITS, PROBE_PATH, type ProbeRequest } from "../../schema/wire/probe.ts"
import { probeRequest, testEngine } from "../support/mail/probe-engine.ts"
import { linesOf, send, signFor, startTestNode, type TestNode, verifyAnswer } from "../support/mail/probe-server.ts"
import { type ScriptedServer, startScriptedSmtp } from "../support/mail/smtp-script.ts"

let smtp: ScriptedServer
let engine: EngineDeps
let node: TestNode
/** Unix seconds, before the node started. */
let beforeStart: number
/** Lets the mail server answer for the mailbox "slow". */
let release: () => void

beforeEach(async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  release = resolve
  const slow = (command: string) => (command.includes("slow@") ? { say: "250 ok\r\n", after: promise } : undefined)
  smtp = await startScriptedSmtp({ mailboxes: ["anna", "bob"], on: slow })
  engine = testEngine({ port: smtp.port, hosts: { "mx.test": [smtp.address] } })
  beforeStart = now() - 1
  node = await startTestNode(engine)
})

afterEach(async () => {
  await node.drain(0)
  await smtp.close()
})

const now = () => Math.floor(Date.now() / 1000)
const probeBody = (changes: Partial<ProbeRequest> = {}) =>
  JSON.stringify({ ...probeRequest({ to: ["anna@a.test", "gone@a.test"], controls: ["random@a.test"] }), ...changes })

describe("a signed request", () => {
  test("gets one signed line per recipient and an end line", async () => {
    const request = await signFor(node, { body: probeBody() })
    const answer = await send(request)
    expect(answer.status).toBe(200)
    expect(await verifyAnswer(node, request, answer)).toMatchObject({ ok: true, keyid: "node-1" })
    const lines = await linesOf(node, request.nonce, answer)
    expect(lines.map((line) => line?.type)).toEqual(["recipient", "recipient", "end"])
    expect(lines.at(-1)).toEqual({ type: "end", recipients: 2 })
  })

  test("gets each line as soon as it is complete", async () => {
    const groups = [["anna@a.test"], ["slow@b.test"]].map(([to], index) => ({
      ...probeRequest({ to: [to!] }).groups[0]!,
      recipients: [{ index, address: to! }],
    }))
    const answer = await send(await signFor(node, { body: probeBody({ groups }) }))
    const reader = answer.body!.getReader()
    const first = Buffer.from((await reader.read()).value!).toString()
    expect(first).toContain('\\"index\\":0')
    expect(first).not.toContain('\\"index\\":1')
    await reader.cancel()
  })

  test("stops probing when the caller disconnects", async () => {
    const to = Array.from({ length: 10 }, (_, at) => `slow@d${at}.test`)
    const aborter = new AbortController()
    const { url, headers, body } = await signFor(node, { body: JSON.stringify(probeRequest({ to })) })
    const answer = await fetch(url, { method: "POST", headers: [...headers], body, signal: aborter.signal })
    expect(answer.status).toBe(200)
    const rcpts = () => smtp.sessions.flat().filter((command) => command.startsWith("RCPT"))
    await expect.poll(rcpts).not.toEqual([])
    aborter.abort()
    await expect.poll(() => [engine.pacer.active, engine.pacer.waiting, smtp.open.size]).toEqual([0, 0, 0])
    release()
    expect(rcpts().length).toBeLessThan(to.length)
  })
})

describe("refused without a connection to a mail server", () => {
  test("every request with an invalid signature", async () => {
    const body = probeBody()
    const foreignKey = await importSigningKey((await generateKeyPair("edge-1")).signingKey)
    const unknown = await importSigningKey((await generateKeyPair("edge-9")).signingKey)
    const good = await signFor(node, { body })
    const without = (name: string) => new Headers([...good.headers].filter(([field]) => field !== name))
    const cases: Record<string, Promise<Response>> = {
      "no signature": send(good, { headers: without("signature") }),
      "no signature input": send(good, { headers: without("signature-input") }),
      "no digest": send(good, { headers: without("content-digest") }),
      "another body": send(good, { body: Uint8Array.from(Buffer.from(body.replace("anna", "carl"))) }),
      "another path": send(good, { url: `${node.url}${HEALTH_PATH}`, method: "GET" }),
      "a query added": send(good, { url: `${node.url}${PROBE_PATH}?debug=1` }),
      "another key with our key id": send(await signFor(node, { body, key: foreignKey })),
      "an unknown key id": send(await signFor(node, { body, key: unknown })),
      "a signature of an hour ago": send(await signFor(node, { body, nowSeconds: now() - 3_600 })),
      "a signature from the future": send(await signFor(node, { body, nowSeconds: now() + 60 })),
      "a signature for another node": send(
        await signFor({ ...node, url: "http://other.test" }, { body }).then((signed) => ({
          ...signed,
          url: node.url + PROBE_PATH,
        })),
      ),
    }
    /** What the edge's operator learns. All others are "refused". */
    const codes: Record<string, string> = {
      "an unknown key id": "unknown_key",
      "another key with our key id": "wrong_signature",
      "another path": "wrong_signature",
      "a query added": "wrong_signature",
      "a signature for another node": "wrong_signature",
      "a signature of an hour ago": "clock",
      "a signature from the future": "clock",
    }
    for (const [name, answer] of Object.entries(cases)) {
      const { status } = await answer
      expect({ name, status, body: await (await answer).json() }).toEqual({
        name,
        status: 401,
        body: {
          detail: "request is not signed by a trusted key",
          code: codes[name] ?? "refused",
          serverTime: expect.any(Number),
        },
      })
    }
    expect(smtp.sessions).toEqual([])
  })

  test("a replayed request", async () => {
    const request = await signFor(node, { body: probeBody() })
    expect((await linesOf(node, request.nonce, await send(request))).length).toBeGreaterThan(0)
    const sessions = smtp.sessions.length
    expect((await send(request)).status).toBe(401)
    const next = await signFor(node, { body: probeBody() })
    expect((await linesOf(node, next.nonce, await send(next))).length).toBeGreaterThan(0)
    expect(smtp.sessions).toHaveLength(2 * sessions)
  })

  test("a request signed before the node started", async () => {
    expect((await send(await signFor(node, { body: probeBody(), nowSeconds: beforeStart }))).status).toBe(401)
    expect(smtp.sessions).toEqual([])
  })

  test("a body over the limit, with or without Content-Length", async () => {
    const body = " ".repeat(PROBE_LIMITS.bodyBytes + 1)
    const announced = await send(await signFor(node, { body }))
    expect(announced.status).toBe(413)
    expect(await announced.json()).toMatchObject({ detail: "request body is too large" })
    const { headers } = await signFor(node, { body })
    const size = body.length.toString(16)
    const text = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("")
    const chunked = `POST ${PROBE_PATH} HTTP/1.1\r\nHost: x\r\n${text}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}`
    expect(await statusOf(chunked)).toBe("HTTP/1.1 413 Payload Too Large")
    expect(smtp.sessions).toEqual([])
  })

  test("an unsigned request, before its body arrives", async () => {
    const head = `POST ${PROBE_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{`
    expect(await statusOf(head)).toBe("HTTP/1.1 401 Unauthorized")
  })

  async function statusOf(sent: string): Promise<string> {
    const socket = connect(Number(new URL(node.url).port), "127.0.0.1")
    socket.on("error", () => undefined)
    socket.write(sent)
    const data = await new Promise<Buffer>((resolve) => socket.once("data", resolve))
    socket.destroy()
    return data.toString().split("\r\n")[0]!
  }

  test.each([
    ["not JSON", "{"],
    ["not a probe request", "{}"],
    ["a recipient that would inject a command", probeBody().replace("anna@a.test", "anna@a.test>\\r\\nDATA\\r\\n")],
    ["no group", probeBody({ groups: [] })],
    ["a deadline that is too long", probeBody({ deadlineMs: 3_600_000 })],
    [
      "too many recipients",
      probeBody({
        groups: [
          {
            ...probeRequest({ to: [] }).groups[0]!,
            recipients: Array.from({ length: PROBE_LIMITS.recipients + 1 }, (_, index) => ({
              index,
              address: "a@a.test",
            })),
          },
        ],
      }),
    ],
  ])("a body that is %s", async (_, body) => {
    const request = await signFor(node, { body })
    const answer = await send(request)
    expect(answer.status).toBe(422)
    expect((await verifyAnswer(node, request, answer)).ok).toBe(true)
    expect(smtp.sessions).toEqual([])
  })

  test.each([
    ["GET", PROBE_PATH, 405],
    ["POST", HEALTH_PATH, 405],
    ["GET", "/", 404],
  ])("%s %s", async (method, path, status) => {
    expect((await fetch(node.url + path, { method })).status).toBe(status)
  })
})

describe("what a node reports about itself", () => {
  test("health is signed and fits the wire", async () => {
    const sentAt = Date.now()
    const request = await signFor(node, { method: "GET", path: HEALTH_PATH })
    const answer = await send(request)
    expect(await verifyAnswer(node, request, answer)).toMatchObject({ ok: true })
    const health = NodeHealth.parse(await answer.json())
    expect(health).toMatchObject({ id: "node-1", region: "test", draining: false, load: { active: 0, waiting: 0 } })
    expect(health.serverTime).toBeGreaterThanOrEqual(sentAt)
    expect(health.serverTime).toBeLessThanOrEqual(Date.now())
  })

  test("health needs a signature", async () => {
    expect((await fetch(node.url + HEALTH_PATH)).status).toBe(401)
    expect(await (await fetch(`${node.url}/health`)).json()).toEqual({ status: "ok" })
  })

  test("metrics and logs contain no addresses", async () => {
    await (await send(await signFor(node, { body: probeBody() }))).text()
    const metrics = await (await fetch(`${node.url}/metrics`)).text()
    expect(metrics).toContain('probe_recipients_total{result="2xx"} 1')
    expect(metrics).toContain('probe_recipients_total{result="5xx"} 1')
    const said = metrics + node.logs.join("\n")
    expect(node.logs).toHaveLength(1)
    for (const secret of ["anna", "gone", "random", "@", "a.test"]) expect(said).not.toContain(secret)
  })

  test("a draining node finishes running requests and refuses new ones", async () => {
    const running = await signFor(node, { body: JSON.stringify(probeRequest({ to: ["slow@a.test"] })) })
    const answer = await send(running)
    const drained = node.drain(60_000)
    const late = await signFor(node, { body: probeBody() })
    const refused = await send(late)
    expect(refused.status).toBe(503)
    expect((await verifyAnswer(node, late, refused)).ok).toBe(true)
    expect((await fetch(`${node.url}/health`)).status).toBe(503)
    release()
    expect(await linesOf(node, running.nonce, answer)).toHaveLength(2)
    await drained
    await expect(fetch(`${node.url}/health`)).rejects.toThrow()
  })

  test("a drain ends at its time limit", async () => {
    const to = Array.from({ length: 20 }, (_, at) => `slow@d${at}.test`)
    const request = await signFor(node, { body: JSON.stringify(probeRequest({ to })) })
    const lines = linesOf(node, request.nonce, await send(request))
    await node.drain(100)
    const [first] = await lines
    expect(first).toMatchObject({ outcome: { kind: "failure", failure: "shutdown" } })
  })
})
