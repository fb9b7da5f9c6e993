import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, inject, test } from "vitest"
import { asAdmin } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { newAccount } from "../support/stack/jobs.ts"

/** Malformed addresses that are rejected at once. None may reach DNS, SMTP or a log line. */
const HOSTILE = {
  "65 octets before the @": `${"a".repeat(65)}@mailbox.test`,
  "a domain of 300 octets": `a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.${"f".repeat(56)}.test`,
  "CRLF and a command": "alice@mailbox.test\r\nRCPT TO:<smuggled@mailbox.test>",
  "CRLF inside quotes": '"a\r\nDATA"@mailbox.test',
  NUL: "ali\u0000ce@mailbox.test",
  "a right-to-left override": "ali\u202ece@mailbox.test",
  "a line separator": "ali\u2028ce@mailbox.test",
  "a space": "ali ce@mailbox.test",
  "two @": "alice@bob@mailbox.test",
  nothing: "",
}

/** Sends the head of a request of ten bytes and one byte of it. @returns the status and the code of the answer */
async function problemOfStopped(start: string, headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(inject("stackUrl"))
  const socket = connect(Number(port), hostname).setEncoding("utf8")
  socket.write([`${start} HTTP/1.1`, "Host: x", ...headers, "Content-Length: 10", "", "{"].join("\r\n"))
  let answer = ""
  for await (const piece of socket) {
    answer += piece
    const [, status, code] = /^HTTP\/1.1 (\d+) .*"code":"(\w+)"/s.exec(answer) ?? []
    if (code) return `${status} ${code}`
  }
  return answer
}

describe("malformed addresses get a verdict", () => {
  test.each(Object.entries(HOSTILE))("%s, in the query", async (_, address) => {
    const { status, body } = await call("GET", "/validate", { at: `/validate?email=${encodeURIComponent(address)}` })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: "invalid",
      sub_status: "invalid_format",
      checks: { status: "invalid_syntax", score: 0 },
    })
  })

  test.each(Object.entries(HOSTILE))("%s, in a body", async (_, address) => {
    const { body } = await call("POST", "/validate/checks", postJson({ email: address }))
    expect(body).toMatchObject({ checks: { status: "invalid_syntax", can_send: false, grade: "F" } })
  })

  test("a lone surrogate", async () => {
    const { body } = await call("POST", "/validate", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"email":"ali\\ud800ce@mailbox.test"}',
    })
    expect(body).toMatchObject({ sub_status: "invalid_format" })
  })
})

describe("malformed requests are refused", () => {
  test.each([
    ["missing", "/validate"],
    ["given twice", "/validate?email=a@mailbox.test&email=b@mailbox.test"],
    ["with an invalid flag", "/validate?email=a@mailbox.test&smtp=perhaps"],
    ["with a timeout beyond its bounds", "/validate?email=a@mailbox.test&timeout_ms=60001"],
    ["with a timeout in another notation", "/validate?email=a@mailbox.test&timeout_ms=1e4"],
  ])("an email %s is 422", async (_, at) => {
    const { status, body } = await call("GET", "/validate", { at })
    expect(status).toBe(422)
    expect(body).toMatchObject({ detail: [{ loc: ["query", expect.any(String)] }] })
  })

  test.each([
    ["/keys", { loc: ["body", "name"], msg: "is required", type: "missing" }],
    ["/suppression/add", { loc: ["body", "email"], msg: "is required", type: "missing" }],
    ["/suppression/add", { loc: ["body", "reason"], msg: "is required", type: "missing" }],
    ["/utils/dedup", { loc: ["body", "emails"], msg: "is required", type: "missing" }],
  ])("%s without a body names the missing fields", async (at, problem) => {
    const { headers } = await newAccount()
    const { status, body } = await call("POST", at, { headers })
    expect(status).toBe(422)
    expect(body).toMatchObject({ detail: expect.arrayContaining([expect.objectContaining(problem)]) })
  })

  test("a body of another type, or without a type, is 415", async () => {
    for (const type of ["text/plain", ""]) {
      const answer = await call("POST", "/keys", { headers: { "content-type": type }, body: '{"name":"x"}' })
      expect(answer.status).toBe(415)
    }
  })

  test.each([
    "application/json;",
    "application/json ; charset=utf-8",
    "application/json; charset=utf-8;",
    'application/json; profile="a;b"',
    "application/vnd.example.v2+json",
  ])("a body with the type %s is read as JSON", async (type) => {
    const headers = { "content-type": type }
    expect((await call("POST", "/validate/checks", { headers, body: '{"email":"x"}' })).status).toBe(200)
  })

  test.each([
    ["without a length", "/utils/dedup", 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"ema\r\nno length'],
    ["of a retry", "/validate", 'Idempotency-Key: broken-off\r\nContent-Length: 50\r\n\r\n{"ema'],
  ])("a truncated body %s is a client error", async (_, at, rest) => {
    const { hostname, port } = new URL(inject("stackUrl"))
    const socket = connect(Number(port), hostname).setEncoding("utf8")
    const head = `POST ${at} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n`
    socket.end(`${head}${rest}`)
    const [answer] = (await once(socket, "data")) as [string]
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1.1 422 .*ended early/s)
  })

  test("a body that stops gets an answer on every kind of path", async () => {
    const { secret } = await newAccount()
    const [json, csv] = ["Content-Type: application/json", "Content-Type: text/csv"]
    const key = `X-Api-Key: ${secret}`
    const calls: [problem: string, start: string, ...headers: string[]][] = [
      ["404 unknown_endpoint", "POST /nope", json],
      ["405 method_not_allowed", "PATCH /validate", json],
      ["401 key_missing", "POST /keys/none/rotate", json],
      ["422 invalid_request", "GET /validate/fast", json],
      ["408 timeout", "POST /validate", json],
      ["408 timeout", "POST /validate/checks", json, key],
      ["408 timeout", "POST /validate/bulk/async", json, key],
      ["408 timeout", "POST /bulk/upload", csv, key],
      ["408 timeout", "POST /bulk/preview", "Content-Type: multipart/form-data; boundary=x", key],
      ["401 key_missing", "POST /bulk/upload", csv],
      ["408 timeout", "POST /suppression/import", csv, key],
      ["408 timeout", "POST /auth/request", json],
      ["401 unauthorized", "POST /webhooks/postmark?t=none", json],
      ["408 timeout", "POST /mcp", json, key],
      ["408 timeout", "POST /utils/dedup", json],
    ]
    const problems = calls.map(async ([, start, ...given]) => [await problemOfStopped(start, given), start, ...given])
    expect(await Promise.all(problems)).toEqual(calls)
  })

  test("errors in a body with two possible forms refer to the form that it has", async () => {
    const tooLong = new Array(100_001).fill("")
    for (const [list, problem] of [
      [["a@mailbox.test", 1], { loc: ["body", 1] }],
      [{ emails: [1] }, { loc: ["body", "emails", 0] }],
      [tooLong, { loc: ["body"], type: "too_big" }],
      [{ emails: tooLong }, { loc: ["body", "emails"], type: "too_big" }],
    ])
      expect((await call("POST", "/utils/dedup", postJson(list))).body).toMatchObject({ detail: [problem] })
  })

  test("of thousands of invalid items, the first hundred are reported", async () => {
    const emails = Array.from({ length: 5_000 }, () => 1)
    const { status, body, text } = await call<{ detail: unknown[] }>(
      "POST",
      "/validate/bulk/turbo",
      postJson({ emails }),
    )
    expect(status).toBe(422)
    expect(body.detail).toHaveLength(100)
    expect(body.detail.at(-1)).toMatchObject({ loc: ["body", "emails", 99] })
    expect(text.length).toBeLessThan(2 * JSON.stringify({ emails }).length)
  })

  test("a 10 MB address in a query is refused early", async () => {
    const answer = await callUnchecked(`/validate?email=${"a".repeat(10_000_000)}@mailbox.test`).catch(() => null)
    if (answer) expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await callUnchecked("/health")).status).toBe(200)
  })
})

describe("half a surrogate pair", () => {
  const HALF = "u:\ud800x"
  const KLAVIYO = { provider: "klaviyo", credentials: { api_key: "k".repeat(40) }, settings: { list_id: "L1" } }

  test.each([
    ["/keys", { name: HALF, owner_email: "owner@mailbox.test" }, ["name"]],
    ["/keys", { name: "one", owner_email: HALF }, ["owner_email"]],
    ["/integrations", { ...KLAVIYO, name: HALF }, ["name"]],
    ["/integrations/test", { integration_id: HALF }, ["integration_id"]],
    ["/fleet/canaries", { operator: HALF, existing: "a@mailbox.test", missing: "b@mailbox.test" }, ["operator"]],
    ["/admin/lists/overrides", { domain: "half.test", class: "disposable", action: "add", note: HALF }, ["note"]],
    ["/webhooks/receivers", { provider: "postmark", secret: HALF }, ["secret"]],
    ["/suppression/add", { email: "half@mailbox.test", reason: "manual", source: HALF }, ["source"]],
    ["/bounce", { email: "half@mailbox.test", bounce_type: "hard", bounce_msg: HALF }, ["bounce_msg"]],
    ["/find-email", { first_name: HALF, last_name: "Doe", domain: "mailbox.test" }, ["first_name"]],
  ])("%s refuses %j and changes nothing", async (at, body, field) => {
    const { headers } = await newAccount()
    const ofOperator = { "x-admin-secret": inject("adminSecret") }
    const isOperators = /^\/(admin|fleet)/.test(at)
    const init = postJson(body)
    const answer = await call("POST", at, {
      ...init,
      headers: { ...init.headers, ...(isOperators ? ofOperator : headers) },
    })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ detail: [{ loc: ["body", ...field] }] })
    const { body: after } = await call("GET", "/webhooks/receivers", { headers })
    expect(after).toEqual({ receivers: [] })
  })

  test("gives the answer for a malformed address, in a list too", async () => {
    const { headers } = await newAccount()
    const init = postJson({ emails: [HALF, "ali\ud800ce@mailbox.test", "alice@mailbox.test"] })
    const { body } = await call<{ results: unknown[] }>("POST", "/validate/bulk", {
      ...init,
      headers: { ...init.headers, ...headers },
    })
    const statuses = ["invalid_syntax", "invalid_syntax", "valid"]
    expect(body.results).toMatchObject(statuses.map((status) => ({ status })))
  })
})

describe("an optional field may be null, as many clients send it", () => {
  const email = "user1@d1848.test"
  test.each([
    ["/suppression/add", { email, reason: "manual", source: null, expires_in_days: null }],
    ["/bounce", { email, bounce_type: "soft_bounce", bounce_code: null, bounce_msg: null }],
    ["/received/batch", { emails: [email], senders: null }],
    ["/received/batch", { emails: null, senders: [{ email, received_at: null, subject: null }] }],
    ["/received/batch", { emails: [email], source: null }],
    ["/validate", { email, smtp: null, breach: null, explain: null, timeout_ms: null }],
    ["/validate/checks", { email, suppression: null, view: null }],
    ["/resolve-catchall", { email, timeout_ms: null }],
    ["/validate/bulk", { emails: [email], smtp: null, deduplicate: null, max_concurrent: null }],
    ["/validate/bulk/turbo", { emails: [email], smtp: null, deduplicate: null }],
    ["/validate/bulk/async", { emails: [email], smtp: null, deduplicate: null, sample: null, webhook_url: null }],
    ["/check/cross-reference", { email, first_name: null, last_name: null, company_name: null }],
    ["/check/mine-emails", { text: email, domain: null }],
    ["/keys", { name: "null", owner_email: email, tier: null }],
    ["/webhooks/receivers", { provider: "postmark", secret: null }],
    ["/integrations", { provider: "hubspot", name: null, credentials: { access_token: "pat-eu1-1" }, verify: null }],
    ["/integrations/hubspot/sync", { integration_id: null, restart: null }, 404],
    ["/integrations/slack/send", { integration_id: null, text: "null", channel: null }, 404],
    ["/integrations/zapier/send", { integration_id: null, text: null, payload: null }, 404],
  ])("%s %j", async (at, body, status = 200) => {
    const { headers } = await newAccount()
    const init = postJson(body)
    expect((await call("POST", at, { ...init, headers: { ...init.headers, ...headers } })).status).toBe(status)
  })
})

describe("a plus is a plus", () => {
  test.each([
    ["a+b@mailbox.test", "a+b@mailbox.test"],
    ["a%2Bb@mailbox.test", "a+b@mailbox.test"],
  ])("?email=%s", async (given, email) => {
    const { body } = await call("GET", "/validate/syntax", { at: `/validate/syntax?email=${given}` })
    expect(body).toMatchObject({ email, valid: true })
  })

  test.each(["plus+tag@d0233.test", "plus%2Btag@d0233.test"])("/suppression?search=%s", async (given) => {
    const { headers } = await newAccount()
    const add = postJson({ email: "plus+tag@d0233.test", reason: "manual" })
    await call("POST", "/suppression/add", { ...add, headers: { ...add.headers, ...headers } })
    const { body } = await call("GET", "/suppression", { at: `/suppression?search=${given}`, headers })
    expect(body).toMatchObject({ total: 1 })
    const other = await call("GET", "/suppression", { at: "/suppression?search=plus%20tag@d0233.test", headers })
    expect(other.body).not.toMatchObject({ total: 1 })
  })

  test.each(["+", "%2B"])("/admin/users?search= with %s", async (plus) => {
    const name = `owner-${crypto.randomUUID().slice(0, 8)}`
    await call("POST", "/keys", postJson({ name: "x", owner_email: `${name}+tag@inbox.test` }))
    const at = `/admin/users?search=${name}${plus}tag@inbox.test`
    const { body } = await call<{ users: readonly object[] }>("GET", "/admin/users", asAdmin({ at }))
    expect(body.users).toHaveLength(1)
  })

  test("an offset of a time", async () => {
    const { headers } = await newAccount()
    const at = "/suppression?from=2026-01-01T00:00:00+02:00&to=2026-02-01T00:00:00+02:00"
    expect((await call("GET", "/suppression", { at, headers })).status).toBe(200)
  })
})

test("no CR, LF or injected text reached a mail server", async () => {
  const log = await (await fetch(new URL("/sandbox/log", inject("sandbox").dohUrl))).text()
  for (const marker of ["RCPT TO:<smuggled@mailbox.test>", "\\r\\nDATA"]) expect(log).not.toContain(marker)
})
