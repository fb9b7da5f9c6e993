import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, inject, test } from "vitest"
import { bytesOf } from "../support/deps/stored-bytes.ts"
import { type ConnectedTool, PORTALS } from "../support/providers/connected-tools.ts"
import { MAILCHIMP_KEY } from "../support/providers/mailchimp-server.ts"
import { SLACK_HOOK_PATH, SLACK_TOKEN } from "../support/providers/slack-server.ts"
import { newKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import {
  CONNECTIONS,
  connect,
  type EventsAnswer,
  get,
  HUBSPOT,
  post,
  type StatusAnswer,
  type SyncAnswer,
  syncAtItsEnd,
} from "../support/stack/integration-calls.ts"

const getFromStub = async <T>(tool: ConnectedTool | "hooks", path: string) =>
  (await (await fetch(`${inject("providerUrls")[tool]}${path}`)).json()) as T

describe("contacts are read, verified and written back", () => {
  test.each(["hubspot", "salesforce", "mailchimp", "klaviyo"] as const)("at %s", async (provider) => {
    const key = await newKey()
    const integrationId = await connect(key, { ...CONNECTIONS[provider], name: "ours", verify: true })
    const started = await post<SyncAnswer>(key, `/integrations/${provider}/sync`, {})
    expect(started).toMatchObject({ status: 200, body: { integration_id: integrationId, contacts: 0 } })
    const sync = await syncAtItsEnd(key)
    expect(sync).toMatchObject({ state: "complete", contacts: 4, written: 4, unsafe: 3, sync_id: started.body.sync_id })
    const at = `/integrations/${integrationId}/events`
    const { body } = await get<EventsAnswer>(key, "/integrations/{integration_id}/events", at)
    expect(body.events.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      "sync_completed ok",
      "sync_started ok",
    ])
    const status = await get<StatusAnswer>(key, "/integrations/status")
    expect(status.body.integrations).toMatchObject([{ integration_id: integrationId, health: "ok" }])
  })

  test("and the results are at the provider", async () => {
    const properties = await getFromStub<Record<string, unknown>>("hubspot", "/written")
    expect(properties).toMatchObject({
      1: { mailverdict_status: "valid" },
      2: { mailverdict_status: "invalid" },
      3: { mailverdict_status: "invalid_syntax", mailverdict_score: "0" },
    })
    const fields = await getFromStub<Record<string, unknown>>("salesforce", "/written")
    expect(fields["003000000000000"]).toMatchObject({ Mailverdict_Status__c: "valid" })
    expect(await getFromStub<string[]>("mailchimp", "/tagged")).not.toContain("alice@mailbox.test")
    const suppressed = await getFromStub<string[]>("klaviyo", "/suppressed")
    expect(suppressed).toContain("nobody@mailbox.test")
    expect(suppressed).not.toContain("alice@mailbox.test")
  })

  test("and out of credits, a free account's sync stops and can be resumed", async () => {
    const key = await newKey("free")
    await connect(key, { provider: "hubspot", credentials: { access_token: PORTALS.large } })
    await post(key, "/integrations/hubspot/sync", {})
    expect(await syncAtItsEnd(key)).toMatchObject({ state: "out_of_credits", contacts: 100, credits: 100 })
    const { body } = await get<StatusAnswer>(key, "/integrations/status")
    expect(body.integrations).toMatchObject([{ health: "needs_attention" }])
    expect((await post<SyncAnswer>(key, "/integrations/hubspot/sync", {})).body).toMatchObject({ contacts: 100 })
    expect(await syncAtItsEnd(key)).toMatchObject({ state: "out_of_credits", contacts: 100, credits: 100 })
  })
})

describe("messages", () => {
  test("are posted by a bot and by a webhook", async () => {
    const key = await newKey()
    const bot = await connect(key, {
      ...{ provider: "slack", credentials: { bot_token: SLACK_TOKEN }, settings: { channel: "#lists" } },
      verify: true,
    })
    const sent = await post(key, "/integrations/slack/send", { text: "one for the bot" })
    expect(sent).toMatchObject({ status: 200, body: { kind: "message_sent", outcome: "ok" } })
    const webhook_url = `${new URL(inject("providerUrls").slack).origin}${SLACK_HOOK_PATH}`
    const hook = await connect(key, { provider: "slack", credentials: { webhook_url }, verify: true })
    expect((await post(key, "/integrations/slack/send", { text: "which?" })).status).toBe(400)
    await post(key, "/integrations/slack/send", { text: "one for the hook", integration_id: hook })
    expect(await getFromStub("slack", "/posts")).toEqual(
      expect.arrayContaining(["#lists: one for the bot", "hook: one for the hook"]),
    )
    const refused = await post(key, "/integrations/slack/send", { text: "x", integration_id: bot, channel: "#other" })
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining("channel_not_found") } })
    const { body } = await get<EventsAnswer>(
      key,
      "/integrations/{integration_id}/events",
      `/integrations/${bot}/events?limit=1`,
    )
    expect(body).toMatchObject({
      events: [{ kind: "message_sent", outcome: "refused" }],
      next_cursor: expect.any(String),
    })
    const at = `/integrations/${bot}/events?limit=1&cursor=${body.next_cursor}`
    const older = await get<EventsAnswer>(key, "/integrations/{integration_id}/events", at)
    expect(older.body).toMatchObject({ events: [{ kind: "message_sent", outcome: "ok" }], next_cursor: null })
  })

  test("are posted to a Zap", async () => {
    const key = await newKey()
    const path = `/hooks/catch/1/${key.keyId}/`
    await connect(key, { provider: "zapier", credentials: { hook_url: `${inject("providerUrls").hooks}${path}` } })
    const sent = await post(key, "/integrations/zapier/send", { text: "done", payload: { list: "may" } })
    expect(sent).toMatchObject({ status: 200, body: { outcome: "ok" } })
    const [got] = await getFromStub<{ body: string }[]>("hooks", path)
    expect(JSON.parse(got!.body)).toEqual({ event: "mailverdict.message", text: "done", payload: { list: "may" } })
  })
})

describe("credentials", () => {
  test("are tested, and an invalid one is reported", async () => {
    const key = await newKey()
    const good = await post(key, "/integrations/test", CONNECTIONS.klaviyo)
    expect(good).toMatchObject({ status: 200, body: { status: "ok", provider: "klaviyo", account: "account AbC123" } })
    const bad = { provider: "hubspot", credentials: { access_token: "pat-wrong" } }
    const detail = expect.stringMatching(/does not accept the credentials.*INVALID_AUTHENTICATION/)
    expect(await post(key, "/integrations/test", bad)).toMatchObject({ status: 400, body: { detail } })
    expect(await post(key, "/integrations", { ...bad, verify: true })).toMatchObject({ status: 400, body: { detail } })
    expect((await get(key, "/integrations")).body).toEqual({ integrations: [], total: 0 })
    const integrationId = await connect(key, bad)
    expect(await post(key, "/integrations/test", { integration_id: integrationId })).toMatchObject({
      status: 400,
      body: { detail },
    })
    await post(key, "/integrations/hubspot/sync", {})
    expect(await syncAtItsEnd(key)).toMatchObject({ state: "failed", contacts: 0, credits: 0 })
  })

  test("are not reported as invalid while the provider is down", async () => {
    const key = await newKey()
    const down = { provider: "hubspot", credentials: { access_token: PORTALS.down } }
    const answer = await post(key, "/integrations/test", down)
    expect(answer).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining("HubSpot has a server error (502)") },
    })
    expect((await post(key, "/integrations", { ...down, verify: true })).status).toBe(503)
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  test("are never shown, and in no file", async () => {
    const key = await newKey()
    const secret = `pat-${key.keyId}`
    await connect(key, { provider: "hubspot", credentials: { access_token: secret }, name: `named ${key.keyId}` })
    const { text } = await get(key, "/integrations")
    expect(text).toContain(`named ${key.keyId}`)
    expect(text).not.toContain(secret)
    const folder = inject("dataDir")
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const bytes = files.map(({ parentPath, name }) => bytesOf(join(parentPath, name)))
    const holds = (what: string) => bytes.some((one) => one.includes(what))
    expect([holds(`named ${key.keyId}`), holds(secret), holds(PORTALS.usual), holds(MAILCHIMP_KEY)]).toEqual([
      ...[true, false, false, false],
    ])
  })

  test.each([
    { provider: "slack", credentials: { webhook_url: "https://169.254.169.254/latest/meta-data" } },
    { provider: "zapier", credentials: { hook_url: "https://hooks.zapier.com.evil.example/hooks/catch/1/a" } },
    {
      provider: "salesforce",
      credentials: { client_id: "a", client_secret: "b", domain: "http://127.0.0.1:8080" },
    },
  ])("with a foreign URL are refused: $provider", async (connection) => {
    const key = await newKey()
    for (const path of ["/integrations", "/integrations/test"]) {
      const { status, text } = await post(key, path, connection)
      expect([status, text]).toEqual([422, expect.stringMatching(/"credentials","(webhook_url|hook_url|domain)"/)])
    }
  })
})

describe("another account", () => {
  test("does not find the account's integrations", async () => {
    const [key, other] = [await newKey(), await newKey()]
    const integration_id = await connect(key, HUBSPOT)
    const at = `/integrations/${integration_id}`
    const unknown = { status: 404, body: { detail: expect.any(String) } }
    expect(await call("DELETE", "/integrations/{integration_id}", withKey(other, { at }))).toMatchObject(unknown)
    expect(await get(other, "/integrations/{integration_id}/events", `${at}/events`)).toMatchObject(unknown)
    expect(await post(other, "/integrations/test", { integration_id })).toMatchObject(unknown)
    expect(await post(other, "/integrations/hubspot/sync", { integration_id })).toMatchObject(unknown)
    expect(await post(other, "/integrations/slack/send", { integration_id, text: "x" })).toMatchObject(unknown)
    expect((await get(other, "/integrations")).body).toEqual({ integrations: [], total: 0 })
    expect((await get(other, "/integrations/status")).body).toEqual({ integrations: [] })
    expect(await post(key, "/integrations/klaviyo/sync", { integration_id })).toMatchObject({ status: 400 })
    const gone = await call("DELETE", "/integrations/{integration_id}", withKey(key, { at }))
    expect(gone).toMatchObject({ status: 200, body: { status: "deleted", integration_id } })
    expect(await call("DELETE", "/integrations/{integration_id}", withKey(key, { at }))).toMatchObject(unknown)
    expect(await post(key, "/integrations/hubspot/sync", {})).toMatchObject(unknown)
  })

  test.each([
    ["GET", "/integrations"],
    ["POST", "/integrations"],
    ["POST", "/integrations/test"],
    ["DELETE", "/integrations/{integration_id}"],
    ["GET", "/integrations/{integration_id}/events"],
    ["GET", "/integrations/status"],
    ["POST", "/integrations/hubspot/sync"],
    ["POST", "/integrations/salesforce/sync"],
    ["POST", "/integrations/mailchimp/sync"],
    ["POST", "/integrations/klaviyo/sync"],
    ["POST", "/integrations/slack/send"],
    ["POST", "/integrations/zapier/send"],
  ])("and a caller without a key is refused: %s %s", async (method, path) => {
    const init = method === "POST" ? postJson({}) : {}
    const answer = await call(method, path, { ...init, method, at: path.replace("{integration_id}", "int_1") })
    expect(answer.status).toBe(401)
  })
})
