import { describe, expect, test } from "vitest"
import { newKey, usedCredits } from "../support/stack/account.ts"
import { callUnchecked } from "../support/stack/api.ts"
import { type CallTool, connectClient, postMessage, toolsOf } from "../support/stack/mcp-client.ts"

const LIST_TOOLS = { jsonrpc: "2.0", id: 1, method: "tools/list" }

/** Reads a page of a list again until the list is over. */
async function whenOver(callTool: CallTool, input: { job_id: unknown; limit?: number; filter?: string }) {
  const isOver = async () => (await callTool("get_list", input)).data.is_over
  await expect.poll(isOver).toBe(true)
  return callTool("get_list", input)
}

describe("the server", () => {
  test("introduces itself, and its tools with hints and schemas", async () => {
    const client = await connectClient({})
    expect(client.getServerVersion()).toMatchObject({ name: "mailverdict", version: "6.0.0" })
    expect(client.getInstructions()).toContain("can_send")
    const { tools } = await client.listTools()
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    const [internet, account] = [{ openWorldHint: true }, { openWorldHint: false }].map((world) => ({
      ...{ readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      ...world,
    }))
    const writes = { readOnlyHint: false, destructiveHint: false }
    expect(hints).toEqual({
      ...{ verify_email: internet, explain_verdict: internet, check_domain: internet },
      ...{ get_list: account, check_suppression: account },
      find_email: { ...internet, readOnlyHint: false },
      verify_list: { ...writes, idempotentHint: false, openWorldHint: true },
      suppress: { ...writes, idempotentHint: true, openWorldHint: false },
    })
    for (const { title, description, inputSchema, outputSchema } of tools) {
      expect([title, description]).toEqual([expect.any(String), expect.stringMatching(/\.$/)])
      expect([inputSchema.type, outputSchema?.type]).toEqual(["object", "object"])
    }
  })

  test("has neither a stream nor sessions", async () => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await callUnchecked("/mcp", { method })
      expect(answer).toMatchObject({ status: 405, body: { detail: expect.any(String) } })
      expect(answer.headers.get("allow")).toBe("POST")
    }
    expect((await postMessage(LIST_TOOLS)).headers.get("mcp-session-id")).toBeNull()
  })

  test("accepts a notification, and answers an unknown method by an error of JSON-RPC", async () => {
    const notified = await postMessage({ jsonrpc: "2.0", method: "notifications/initialized" })
    expect(notified).toMatchObject({ status: 202, text: "" })
    const answer = await postMessage({ jsonrpc: "2.0", id: 7, method: "tools/none" })
    expect(answer).toMatchObject({ status: 200, body: { id: 7, error: { code: -32_601 } } })
  })

  test.each([
    ["malformed JSON", { body: "{" }, 422],
    ["a batch", { body: JSON.stringify([LIST_TOOLS]) }, 422],
    ["no JSON-RPC", { body: "{}" }, 422],
    ["an oversized body", { body: JSON.stringify({ ...LIST_TOOLS, params: { pad: "a".repeat(1_000_001) } }) }, 413],
    ["another type", { headers: { "content-type": "text/plain" } }, 415],
    ["a client without JSON", { headers: { accept: "text/html" } }, 406],
    ["an unknown revision", { headers: { "mcp-protocol-version": "1999-01-01" } }, 400],
  ])("refuses %s", async (_, init, status) => {
    expect((await postMessage(LIST_TOOLS, init)).status).toBe(status)
  })
})

describe("the tools", () => {
  test("verify_email says whether to send, and costs a credit once", async () => {
    const key = await newKey("pro")
    const callTool = await toolsOf(key)
    const email = "user8001@d1840.test"
    const first = await callTool("verify_email", { email })
    expect(first).toMatchObject({ isError: false, data: { email, status: "valid", can_send: true, cached: false } })
    expect(first.text).toBe(`${email}: valid (mailbox_verified), score ${first.data.score} of 100. Sending is safe.`)
    expect((await callTool("verify_email", { email })).data.cached).toBe(true)
    expect(await usedCredits(key)).toBe(1)
  })

  test.each([
    ["nobody@mailbox.test", { status: "invalid", sub_status: "mailbox_not_found", recommendation: "do_not_send" }],
    ["anyone@catch-all.test", { status: "accept_all", sub_status: "catch_all_address" }],
    ["alice@client-refused.test", { status: "unknown", sub_status: "policy_rejection" }],
    ["alice.mailbox.test", { status: "invalid", sub_status: "invalid_format", can_send: false }],
    ["alice@null-mx.test", { status: "invalid", sub_status: "domain_not_found", primary_risk: "null_mx" }],
  ])("verify_email answers %s like the sandbox's table", async (email, expected) => {
    const callTool = await toolsOf(await newKey())
    expect(await callTool("verify_email", { email })).toMatchObject({ isError: false, data: expected })
  })

  test("explain_verdict names the rule, the points and the server's reply", async () => {
    const callTool = await toolsOf(await newKey())
    const { data, text } = await callTool("explain_verdict", { email: "nobody@mailbox.test" })
    const facts = data.facts as { fact: string; points: number }[]
    expect(facts.find(({ fact }) => fact === "rcpt")).toEqual({
      ...{ fact: "rcpt", value: "mailbox_missing", points: 0, rule: expect.any(String) },
      means: "The reply says that the mailbox or its domain does not exist.",
      reply: expect.stringMatching(/^550 .*User unknown/),
    })
    expect(facts.reduce((sum, { points }) => sum + points, 0)).toBe(data.score)
    expect(text).toContain("there is no such mailbox. Do not send.")
  })

  test("verify_list starts a job, and get_list reads it in pages and by filter", async () => {
    const callTool = await toolsOf(await newKey())
    const emails = ["alice@mailbox.test", "nobody@mailbox.test", "anyone@catch-all.test", "alice@mailbox.test"]
    const started = await callTool("verify_list", { emails })
    expect(started).toMatchObject({ isError: false, data: { total: 3, status: "queued" } })
    const { job_id } = started.data
    const page = await whenOver(callTool, { job_id, limit: 2 })
    expect(page.data).toMatchObject({
      ...{ status: "complete", total: 3, done: 3, sendable_before_suppressions: 1, estimated_seconds: null },
      counts: { valid: 1, invalid: 1, accept_all: 1 },
      results: [
        { email: "alice@mailbox.test", status: "valid", can_send: true, recommendation: "send", primary_risk: null },
        { email: "nobody@mailbox.test", status: "invalid", can_send: false, primary_risk: "mailbox_missing" },
      ],
    })
    expect(page.text).toContain(`call get_list with cursor ${page.data.next_cursor}`)
    const rest = await callTool("get_list", { job_id, limit: 2, cursor: page.data.next_cursor })
    expect(rest.data).toMatchObject({ results: [{ email: "anyone@catch-all.test" }], next_cursor: null })
    const sendable = await callTool("get_list", { job_id, filter: "can_send" })
    expect(sendable.data.results).toMatchObject([{ email: "alice@mailbox.test" }])
  })

  test("find_email finds a person's address", async () => {
    const key = await newKey("pro")
    const callTool = await toolsOf(key)
    const found = await callTool("find_email", { first_name: "Alice", last_name: "Smith", domain: "mailbox.test" })
    expect(found).toMatchObject({ isError: false, data: { outcome: "verified", credits_used: 5 } })
    expect(found.text).toContain(`${found.data.best_email} (`)
    expect(await usedCredits(key)).toBe(5)
    const none = await callTool("find_email", { first_name: "Alice", last_name: "Smith", domain: "null-mx.test" })
    expect(none.data).toMatchObject({ best_email: null, outcome: "no_mail", credits_used: 0 })
  })

  test("check_domain describes a domain and what to improve", async () => {
    const callTool = await toolsOf(await newKey())
    const good = await callTool("check_domain", { domain: "mailbox.test" })
    expect(good.data).toMatchObject({ accepts_mail: true, mx_kind: "mx", spf_valid: true, is_disposable: false })
    expect(good.text).toContain("mailbox.test: accepts mail")
    expect(good.text).toMatch(/Mail hosts: \S+\. .*\nSPF valid, DKIM /)
    const none = await callTool("check_domain", { domain: "null-mx.test" })
    expect(none.data).toMatchObject({ accepts_mail: false, mx_kind: "null_mx" })
  })

  test("suppress adds an address or a domain, and check_suppression and verify_email know it", async () => {
    const callTool = await toolsOf(await newKey())
    const email = "user7@d1840.test"
    const added = await callTool("suppress", { email, reason: "unsubscribe", expires_in_days: 30 })
    expect(added.data).toMatchObject({ change: "added", email, domain: null, reason: "unsubscribe" })
    expect(await callTool("suppress", { email })).toMatchObject({ data: { reason: "unsubscribe" } })
    const checked = await callTool("check_suppression", { email })
    expect(checked.data).toMatchObject({ is_suppressed: true, list: "account", reason: "unsubscribe" })
    const verified = await callTool("verify_email", { email })
    expect(verified.data).toMatchObject({ can_send: false, primary_risk: "suppressed" })
    const explained = await callTool("explain_verdict", { email })
    expect(explained.data.conclusion).toMatch(/the mailbox exists\. The address, .* is on the suppression list\.$/)
    expect((await callTool("suppress", { domain: "d0043.test" })).data).toMatchObject({ domain: "d0043.test" })
    const byDomain = await callTool("check_suppression", { email: "user1@d0043.test" })
    expect(byDomain.data).toMatchObject({ is_suppressed: true, domain: "d0043.test" })
    const clear = await callTool("check_suppression", { email: "alice@mailbox.test" })
    expect(clear).toMatchObject({ data: { is_suppressed: false }, text: "alice@mailbox.test: not suppressed." })
  })

  test.each([
    ["verify_email", {}, "one email address is needed; correct the argument at email"],
    ["verify_list", { emails: [] }, "give at least one address at emails"],
    ["verify_list", { emails: Array.from({ length: 5_001 }, () => "alice@mailbox.test") }, "split the list"],
    ["get_list", { job_id: "job_000000000000000000000000" }, "Error 404: there is no such job. Correct"],
    ["get_list", { job_id: "job_1", cursor: "next" }, "Error 422: cursor: "],
    ["check_domain", { domain: "not a domain" }, "Error 400: domain: "],
    ["suppress", {}, "give email or domain"],
    ["suppress", { email: "a@mailbox.test", domain: "mailbox.test" }, "Error 422: domain: excludes email"],
    ["check_suppression", { email: "alice.mailbox.test" }, "Error 400: "],
    ["forget_everything", {}, "forget_everything not found"],
  ])("%s refuses %j with a reason", async (name, input, reason) => {
    const callTool = await toolsOf(await newKey())
    expect(await callTool(name, input)).toMatchObject({ isError: true, text: expect.stringContaining(reason) })
  })
})
