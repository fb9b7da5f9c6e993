import { describe, expect, inject, test } from "vitest"
import { PORTALS } from "../support/providers/connected-tools.ts"
import { KLAVIYO_KEY } from "../support/providers/klaviyo-server.ts"
import { MAILCHIMP_KEY } from "../support/providers/mailchimp-server.ts"
import { SLACK_HOOK_PATH, SLACK_TOKEN } from "../support/providers/slack-server.ts"
import { newKey, type TestKey } from "../support/stack/account.ts"
import {
  CONNECTIONS,
  connect,
  type EventsAnswer,
  get,
  HUBSPOT,
  post,
  type StatusAnswer,
  syncAtItsEnd,
} from "../support/stack/integration-calls.ts"

describe("the status says how an integration is", () => {
  const status = async (key: TestKey) => (await get<StatusAnswer>(key, "/integrations/status")).body.integrations

  test.each([
    ["a server error", PORTALS.down, 503, "unreachable", 502],
    ["an HTML page", PORTALS.page, 503, "unreadable", 200],
    ["a rejected token", "pat-wrong", 400, "unauthorized", 401],
  ])("failing after nothing but %s", async (_, access_token, code, outcome, http_status) => {
    const key = await newKey()
    const integration_id = await connect(key, { provider: "hubspot", credentials: { access_token } })
    const before = { health: "idle", last_answer_at: null, last_failure: null }
    expect(await status(key)).toMatchObject([before])
    expect((await post(key, "/integrations/test", { integration_id })).status).toBe(code)
    const last_failure = { at: expect.any(String), outcome, http_status, detail: expect.stringContaining("HubSpot") }
    const failing = { health: "failing", last_answer_at: null, last_failure, events_24h: { succeeded: 0, failed: 1 } }
    expect(await status(key)).toMatchObject([failing])
    await post(key, "/integrations/hubspot/sync", {})
    expect(await status(key)).toMatchObject([{ health: "failing" }])
  })

  test.each([
    ["no contacts", PORTALS.empty, "no_contacts", "ok", { contacts: 0, rejected: 0 }],
    ["rejected results", PORTALS.locked, "all_rejected", "needs_attention", { contacts: 4, rejected: 4 }],
  ])("and that a sync wrote nothing: %s", async (_, access_token, wrote_nothing, health, counts) => {
    const key = await newKey()
    const integrationId = await connect(key, { provider: "hubspot", credentials: { access_token } })
    await post(key, "/integrations/hubspot/sync", {})
    const detail = expect.stringMatching(/^nothing was written: /)
    expect(await syncAtItsEnd(key)).toMatchObject({ state: "complete", written: 0, wrote_nothing, detail, ...counts })
    expect(await status(key)).toMatchObject([{ health, last_answer_at: expect.any(String) }])
    const at = `/integrations/${integrationId}/events`
    const { body } = await get<EventsAnswer>(key, "/integrations/{integration_id}/events", at)
    expect(body.events[0]).toMatchObject({ kind: "sync_completed", detail: expect.any(String) })
  })

  test("and a sync that wrote says nothing of the kind", async () => {
    const key = await newKey()
    await connect(key, CONNECTIONS.mailchimp!)
    await post(key, "/integrations/mailchimp/sync", {})
    expect(await syncAtItsEnd(key)).toMatchObject({ state: "complete", written: 4, wrote_nothing: null, detail: null })
  })
})

describe("a test shows its requests", () => {
  const requestsOf = async (connection: object) => {
    const answer = await post<{ requests: unknown[] }>(await newKey(), "/integrations/test", connection)
    expect(answer.status, answer.text).toBe(200)
    return answer
  }
  const masked = { accept: expect.any(String), authorization: "***" }
  const SLACK_BOT = { provider: "slack", credentials: { bot_token: SLACK_TOKEN } }

  test.each([
    ["hubspot", HUBSPOT, "GET", /contacts\?limit=1/, [PORTALS.usual]],
    ["mailchimp", CONNECTIONS.mailchimp!, "GET", /\/lists\//, [MAILCHIMP_KEY]],
    ["klaviyo", CONNECTIONS.klaviyo!, "GET", /\/api\/lists\//, [KLAVIYO_KEY]],
    ["slack", SLACK_BOT, "POST", /\/auth\.test$/, [SLACK_TOKEN]],
  ])("at %s, without its secrets", async (_, connection, method, path, secrets) => {
    const { body, text } = await requestsOf(connection)
    const request = { method, url: expect.stringMatching(path), http_status: 200, elapsed_ms: expect.any(Number) }
    expect(body.requests).toContainEqual({ ...request, headers: expect.objectContaining(masked) })
    for (const secret of secrets) expect(text).not.toContain(secret)
  })

  test("at a hook, whose path is a secret", async () => {
    const { origin } = new URL(inject("providerUrls").slack)
    const webhook_url = `${origin}${SLACK_HOOK_PATH}`
    const { body } = await requestsOf({ provider: "slack", credentials: { webhook_url } })
    expect(body.requests).toMatchObject([{ method: "POST", url: `${origin}/***` }])
  })

  test.each([
    [PORTALS.down, 503, "has a server error (502)", 502],
    [PORTALS.page, 503, "answered with HTML instead of JSON (200)", 200],
    ["pat-wrong", 400, "does not accept the credentials", 401],
  ])("also in its error: %s", async (access_token, code, said, status) => {
    const answer = await post(await newKey(), "/integrations/test", {
      provider: "hubspot",
      credentials: { access_token },
    })
    const request = `; the request was GET ${inject("providerUrls").hubspot}/crm/objects/2026-09/contacts?limit=1`
    expect(answer).toMatchObject({ status: code, body: { detail: expect.stringContaining(said) } })
    expect(answer.text).toContain(request)
    expect(answer.text).toContain(`with the answer's status ${status}`)
    expect(answer.text).not.toContain(access_token)
  })
})
