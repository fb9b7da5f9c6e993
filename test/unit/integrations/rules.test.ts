import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { SyncState } from "../../../schema/vocabulary.ts"
import { Connection } from "../../../schema/wire/integrations.ts"
import {
  outcomeOf,
  type ProviderFailure,
  providerFailure,
  readProviderUrl,
  retryDelayAfter,
  salesforceHosts,
} from "../../../src/domain/integrations/provider.ts"
import {
  type Activity,
  healthOf,
  type IntegrationHealth,
  type WroteNothing,
  wroteNothing,
} from "../../../src/domain/integrations/sync.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe("a provider URL of an account", () => {
  const SLACK = ["hooks.slack.com", "127.0.0.9:8080"]
  const SALESFORCE = salesforceHosts({ salesforceLoginUrl: "https://login.salesforce.com" })
  test.each([
    ["https://hooks.slack.com/services/T/B/X", SLACK],
    ["https://HOOKS.slack.com/services/T", SLACK],
    ["http://127.0.0.9:8080/services", SLACK],
    ["https://acme.my.salesforce.com", SALESFORCE],
    ["https://acme--uat.sandbox.my.salesforce.com/", SALESFORCE],
    ["https://acme.my.salesforce.mil", SALESFORCE],
    ["https://acme.my.sfcrmproducts.cn", SALESFORCE],
  ])("%s is accepted", (url, hosts) => {
    expect(readProviderUrl(url, hosts)).toMatchObject({ ok: true })
  })

  test.each([
    ["http://hooks.slack.com/services/T", SLACK],
    ["https://hooks.slack.com:8443/services/T", SLACK],
    ["https://hooks.slack.com.evil.example/x", SLACK],
    ["https://evil.example/?hooks.slack.com", SLACK],
    ["https://hooks.slack.com@evil.example/", SLACK],
    ["https://user:pw@hooks.slack.com/", SLACK],
    ["http://127.0.0.9:8081/", SLACK],
    ["http://127.0.0.9/", SLACK],
    ["https://169.254.169.254/latest/meta-data", SLACK],
    ["file:///etc/passwd", SLACK],
    ["javascript:alert(1)", SLACK],
    ["", SLACK],
    ["https://salesforce.com.evil.example", SALESFORCE],
    ["https://evilsalesforce.com", SALESFORCE],
    ["https://salesforce.com", SALESFORCE],
  ])("%s is rejected", (url, hosts) => {
    expect(readProviderUrl(url, hosts)).toMatchObject({ ok: false, problem: expect.any(String) })
  })

  test("never names another host, for any input", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.domain().map((host) => `https://hooks.slack.com${host}/x`),
        ),
        (text) => {
          const read = readProviderUrl(text, SLACK)
          if (read.ok) expect(SLACK).toContain(new URL(read.url).host)
        },
      ),
    )
  })
})

describe("the delay after a failure", () => {
  const failure = (outcome: ProviderFailure["outcome"], retryAfterMs: number | null = null) =>
    providerFailure({ outcome, detail: "", retryAfterMs }).failure

  test.each([
    ["unauthorized", null, 1, null],
    ["refused", null, 1, null],
    ["unreachable", null, 1, MINUTE],
    ["unreachable", null, 3, 5 * MINUTE],
    ["unreachable", 10 * MINUTE, 1, 10 * MINUTE],
    ["unreachable", null, 9, null],
    ["unreadable", null, 1, MINUTE],
    ["unreadable", null, 9, null],
    ["rate_limited", 10_000, 1, 10_000],
    ["rate_limited", 0, 1, 1_000],
    ["rate_limited", 10_000, 40, 10_000],
    ["rate_limited", 10_000, 51, null],
    ["rate_limited", 48 * HOUR, 1, 24 * HOUR],
    ["rate_limited", null, 2, 2 * MINUTE],
    ["rate_limited", null, 20, HOUR],
  ] as const)("%s with a requested wait of %s ms, failure %i: %s", (outcome, asked, failures, wait) => {
    expect(retryDelayAfter(failure(outcome, asked), failures)).toBe(wait)
  })

  test("every status but success has an outcome", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        expect(outcomeOf(status) === null).toBe(status >= 200 && status < 300)
      }),
    )
    expect([301, 400, 401, 403, 404, 408, 429, 500, 503].map(outcomeOf)).toEqual([
      ...["refused", "refused", "unauthorized", "unauthorized", "refused"],
      ...["unreachable", "rate_limited", "unreachable", "unreachable"],
    ])
  })
})

describe("a connection", () => {
  test.each([
    { provider: "hubspot", credentials: { access_token: "pat-eu1-1" } },
    { provider: "salesforce", credentials: { client_id: "a", refresh_token: "b" } },
    {
      provider: "salesforce",
      credentials: { client_id: "a", client_secret: "b", domain: "https://acme.my.salesforce.com" },
    },
    { provider: "mailchimp", credentials: { api_key: `${"0".repeat(32)}-us21` }, settings: { list_id: "a1" } },
    { provider: "klaviyo", credentials: { api_key: "pk_1" }, settings: { list_id: "Xy1" } },
    { provider: "slack", credentials: { bot_token: "xoxb-1" }, settings: { channel: "#lists" } },
    { provider: "slack", credentials: { webhook_url: "https://hooks.slack.com/services/T/B/X" } },
    { provider: "zapier", credentials: { hook_url: "https://hooks.zapier.com/hooks/catch/1/a/" } },
  ])("of $provider is parsed, also after it was stored", (given) => {
    const read = Connection.parse(given)
    expect(Connection.parse(JSON.parse(JSON.stringify(read)))).toEqual(read)
  })

  test.each([
    ["a line break in a token", { provider: "hubspot", credentials: { access_token: "a\r\nx-evil: 1" } }],
    ["no token", { provider: "hubspot", credentials: {} }],
    ["another provider's credentials", { provider: "hubspot", credentials: { access_token: "a", api_key: "b" } }],
    ["no grant", { provider: "salesforce", credentials: { client_id: "a" } }],
    ["a secret without a domain", { provider: "salesforce", credentials: { client_id: "a", client_secret: "b" } }],
    [
      "a field name that contains SOQL",
      {
        provider: "salesforce",
        credentials: { client_id: "a", refresh_token: "b" },
        settings: { status_field: "Id FROM User" },
      },
    ],
    [
      "a key without its data center",
      { provider: "mailchimp", credentials: { api_key: "0".repeat(32) }, settings: { list_id: "a" } },
    ],
    [
      "a data center that is a host",
      {
        provider: "mailchimp",
        credentials: { api_key: `${"0".repeat(32)}-evil.example/` },
        settings: { list_id: "a" },
      },
    ],
    ["no list", { provider: "klaviyo", credentials: { api_key: "pk_1" } }],
    ["a path for a list", { provider: "klaviyo", credentials: { api_key: "pk_1" }, settings: { list_id: "../x" } }],
    [
      "both hook and bot",
      { provider: "slack", credentials: { webhook_url: "https://hooks.slack.com/x", bot_token: "b" } },
    ],
    ["neither hook nor bot", { provider: "slack", credentials: {} }],
    ["an unknown provider", { provider: "other", credentials: {} }],
  ])("with %s is rejected", (_, given) => {
    expect(Connection.safeParse(given).success).toBe(false)
  })
})

const COUNTS = { contacts: 4, written: 4, undecided: 0, rejected: 0 }
const sync = (state: SyncState, counts: Partial<typeof COUNTS> = {}) => ({ state, ...COUNTS, ...counts })

test.each<[string, SyncState, Partial<typeof COUNTS>, WroteNothing | null]>([
  ["some written", "complete", { written: 1, rejected: 3 }, null],
  ["not complete", "running", { contacts: 0, written: 0 }, null],
  ["stopped", "failed", { contacts: 0, written: 0 }, null],
  ["no contacts", "complete", { contacts: 0, written: 0 }, "no_contacts"],
  ["all undecided", "complete", { written: 0, undecided: 4 }, "all_undecided"],
  ["all rejected", "complete", { written: 0, rejected: 4 }, "all_rejected"],
  ["some of both", "complete", { written: 0, undecided: 1, rejected: 3 }, "undecided_and_rejected"],
])("a sync with %s", (_, state, counts, expected) => {
  expect(wroteNothing(sync(state, counts))).toBe(expected)
})

const IDLE: Activity = { sync: null, recent: { succeeded: 0, failed: 0 }, lastAnswerAt: null, lastFailureAt: null }
const WORKED = { lastAnswerAt: 1 }

test.each<[string, Partial<Activity>, IntegrationHealth]>([
  ["without any event", {}, "idle"],
  ["with a sync that has not begun", { sync: sync("queued") }, "working"],
  ["that never answered", { lastFailureAt: 1 }, "failing"],
  ["that never answered its waiting sync", { lastFailureAt: 1, sync: sync("waiting") }, "failing"],
  ["that never answered its stopped sync", { lastFailureAt: 1, sync: sync("failed") }, "failing"],
  ["whose sync waits", { ...WORKED, lastFailureAt: 2, sync: sync("waiting") }, "working"],
  ["whose sync stopped", { ...WORKED, lastFailureAt: 2, sync: sync("failed") }, "needs_attention"],
  ["without credits", { ...WORKED, sync: sync("out_of_credits") }, "needs_attention"],
  ["that rejected every result", { ...WORKED, sync: sync("complete", { written: 0, rejected: 4 }) }, "needs_attention"],
  ["with failures only today", { ...WORKED, recent: { succeeded: 0, failed: 2 } }, "needs_attention"],
  ["with a success today", { ...WORKED, recent: { succeeded: 1, failed: 2 } }, "ok"],
  ["with a success long ago", WORKED, "idle"],
])("an integration %s", (_, activity, health) => {
  expect(healthOf({ ...IDLE, ...activity })).toBe(health)
})
