import { describe, expect, test } from "vitest"
import { Connection, type ConnectionOf } from "../../../schema/wire/integrations.ts"
import { createSlack, createZapier } from "../../../src/adapters/integrations/messengers.ts"
import { apiDeps } from "../../support/deps/api-deps.ts"
import { SLACK_HOOK_PATH, SLACK_TOKEN, startSlack } from "../../support/providers/slack-server.ts"
import { type Given, startStub } from "../../support/providers/stub-server.ts"
import { stoppedAfterTest } from "../../support/stack/stopped-after-test.ts"

const message = (text: string, channel: string | null = null) => ({ text, channel, payload: null })

describe("Slack", () => {
  async function connect(
    credentials: (url: string) => object,
    { settings = {}, faults = [] as readonly Given[], fails = [] as readonly string[] } = {},
  ) {
    const server = await stoppedAfterTest(startSlack({ faults, fails }))
    const given = { provider: "slack", credentials: credentials(server.url), settings }
    const deps = apiDeps()
    const slack = createSlack(Connection.parse(given) as ConnectionOf<"slack">, { ...deps, url: `${server.url}/api` })
    return { server, slack, waits: deps.waits }
  }
  const bot = () => ({ bot_token: SLACK_TOKEN })
  const hook = (url: string) => ({ webhook_url: `${url}${SLACK_HOOK_PATH}` })

  test("a bot posts to the requested channel, or to the integration's default", async () => {
    const { slack, server } = await connect(bot, { settings: { channel: "#lists" } })
    expect(await slack.check()).toEqual({ ok: true, value: "Example Team" })
    expect(await slack.send(message("one"))).toEqual({ ok: true, value: null })
    const elsewhere = await slack.send(message("two", "#nowhere"))
    expect(elsewhere).toMatchObject({ ok: false, failure: { outcome: "refused", code: "channel_not_found" } })
    expect(server.posts).toEqual(["#lists: one"])
  })

  test("a bot without a channel sends no request", async () => {
    const { slack, server } = await connect(bot)
    expect(await slack.send(message("one"))).toMatchObject({ ok: false, failure: { outcome: "refused" } })
    expect(server.calls).toEqual([])
  })

  test("a token that Slack refuses with 200 is unauthorized", async () => {
    const { slack } = await connect(() => ({ bot_token: "xoxb-wrong" }), { settings: { channel: "#lists" } })
    const unauthorized = { ok: false, failure: { outcome: "unauthorized", code: "invalid_auth" } }
    expect(await slack.check()).toMatchObject(unauthorized)
    expect(await slack.send(message("one"))).toMatchObject(unauthorized)
  })

  test.each([
    ["HTML", "<html>login</html>", "with HTML instead of JSON"],
    ["an empty body", "", "with an empty body"],
    ["broken JSON", '{"ok":', "with text that is not JSON"],
    ["another form", '{"fine":true}', "in an unknown form"],
    ["5 MB", "x".repeat(5_000_000), "with more than 4 MB"],
  ])("an unreadable answer is not a failed connection: %s", async (_, text, said) => {
    const fault = { status: 200, text }
    const { slack } = await connect(bot, { settings: { channel: "#lists" }, faults: [fault, fault] })
    const detail = `Slack answered ${said} (200), so the answer cannot be read`
    const unreadable = { ok: false, failure: { outcome: "unreadable", httpStatus: 200, detail } }
    expect(await slack.check()).toMatchObject(unreadable)
    expect(await slack.send(message("one"))).toMatchObject(unreadable)
  })

  test("a webhook is checked without posting, and posted to", async () => {
    const { slack, server } = await connect(hook)
    expect(await slack.check()).toEqual({ ok: true, value: null })
    expect(server.posts).toEqual([])
    expect(await slack.send(message("hello"))).toEqual({ ok: true, value: null })
    expect(server.posts).toEqual(["hook: hello"])
  })

  test("a deleted webhook is reported; one at another host is not called", async () => {
    const gone = await connect((url) => ({ webhook_url: `${url}/services/gone` }))
    expect(await gone.slack.check()).toMatchObject({ ok: false, failure: { code: "no_service", httpStatus: 404 } })
    const foreign = await connect(() => ({ webhook_url: "http://127.0.0.1:9/services/x" }))
    expect(await foreign.slack.send(message("x"))).toMatchObject({ ok: false, failure: { outcome: "refused" } })
  })

  test.each([
    ["rate_limited", { outcome: "rate_limited" }, [1_000, 2_000, 4_000]],
    ["team_added_to_org", { outcome: "unreachable" }, []],
    ["request_timeout", { outcome: "unreachable" }, []],
  ])("%s with status 200 is temporary, not a refusal", async (error, failure, sat) => {
    const { slack, waits } = await connect(bot, {
      settings: { channel: "#lists" },
      fails: [error, error, error, error],
    })
    expect(await slack.send(message("one"))).toMatchObject({ ok: false, failure: { ...failure, code: error } })
    expect(waits).toEqual(sat)
  })

  test("Retry-After is honored", async () => {
    const faults = [{ status: 429, headers: { "retry-after": "2" } }]
    const { slack, waits } = await connect(bot, { settings: { channel: "#lists" }, faults })
    expect(await slack.send(message("one"))).toEqual({ ok: true, value: null })
    expect(waits).toEqual([2_000])
  })
})

describe("Zapier", () => {
  async function connect(answer: Given) {
    const bodies: unknown[] = []
    const server = await stoppedAfterTest(
      startStub(({ body }) => {
        bodies.push(JSON.parse(body))
        return answer
      }),
    )
    const given = { provider: "zapier", credentials: { hook_url: `${server.url}/hooks/catch/1/abc/` } }
    const hosts = [new URL(server.url).host]
    const zapier = createZapier(Connection.parse(given) as ConnectionOf<"zapier">, { ...apiDeps(), hosts })
    return { zapier, bodies }
  }

  test("a hook gets the text and the payload", async () => {
    const { zapier, bodies } = await connect({ status: 200, json: { status: "success", id: "1" } })
    expect(await zapier.send({ text: "done", channel: null, payload: { invalid: 3 } })).toEqual({
      ok: true,
      value: null,
    })
    expect(bodies).toEqual([{ event: "mailverdict.message", text: "done", payload: { invalid: 3 } }])
  })

  test.each([
    [410, "refused"],
    [302, "refused"],
    [500, "unreachable"],
  ] as const)("a %i is %s", async (status, outcome) => {
    const { zapier } = await connect({ status, headers: { location: "http://127.0.0.1:1/" } })
    expect(await zapier.check()).toMatchObject({ ok: false, failure: { outcome, httpStatus: status } })
  })

  test("an unreachable hook is unreachable; a hook at another host is not called", async () => {
    const at = (hook_url: string) =>
      createZapier({ credentials: { hook_url } }, { ...apiDeps(), hosts: ["127.0.0.1:9"] }).check()
    expect(await at("http://127.0.0.1:9/hooks")).toMatchObject({
      failure: { outcome: "unreachable", httpStatus: null },
    })
    expect(await at("http://127.0.0.1:10/hooks")).toMatchObject({ failure: { outcome: "refused" } })
  })
})
