import { describe, expect, test } from "vitest"
import { type Client, createClient } from "../../../src/client/client.ts"

interface Sent {
  readonly request: string
  readonly body: unknown
  readonly headers: Headers
}

/** A client of a service that gives one answer, and its requests. */
function clientOf(answer: unknown, status = 200): { client: Client; sent: Sent[] } {
  const sent: Sent[] = []
  const answering: typeof fetch = async (url, init) => {
    const { pathname, search } = new URL(String(url))
    const { body } = init ?? {}
    sent.push({
      request: `${init?.method} ${pathname}${search}`,
      body: body instanceof Blob ? await body.text() : (body ?? null),
      headers: new Headers(init?.headers),
    })
    return Response.json(answer, { status })
  }
  return { client: createClient({ apiKey: "mv_key", fetch: answering, maxRetries: 0 }), sent }
}

async function drained<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

const PERSON = { first_name: "Ada", last_name: "King", domain: "c.test" }
const HOOK = { url: "https://c.test/", events: ["job.completed" as const] }

describe("each method makes the call that it names", () => {
  test.each<[string, (client: Client) => Promise<unknown>, string, string | null]>([
    ["verify", (c) => c.verify("a@c.test"), "POST /validate", '{"email":"a@c.test"}'],
    ["verify", (c) => c.verify("a@c.test", { smtp: false }), "POST /validate", '{"smtp":false,"email":"a@c.test"}'],
    ["verifyFast", (c) => c.verifyFast("a@c.test"), "GET /validate/fast?email=a%40c.test", null],
    ["find", (c) => c.find(PERSON), "POST /find-email/v2?first_name=Ada&last_name=King&domain=c.test", null],
    ["domain", (c) => c.domain("c.test"), "GET /domain-intel/c.test", null],
    ["usage", (c) => c.usage(), "GET /usage", null],
    ["account", (c) => c.account(), "GET /auth/me", null],
    ["lists.upload", (c) => c.lists.upload("email\na@c.test"), "POST /bulk/upload", "email\na@c.test"],
    ["lists.upload", (c) => c.lists.upload(new Blob(["x"])), "POST /bulk/upload", "x"],
    ["lists.sample", (c) => c.lists.sample("x"), "POST /bulk/upload?sample=true", "x"],
    [
      "lists.verify",
      (c) => c.lists.verify(["a@c.test"], { finish_within: 60 }),
      "POST /validate/bulk/async",
      '{"finish_within":60,"emails":["a@c.test"],"sample":false}',
    ],
    ["lists.get", (c) => c.lists.get("job_1"), "GET /bulk/status/job_1", null],
    ["lists.report", (c) => c.lists.report("job_1"), "GET /bulk/job_1/report", null],
    [
      "lists.download",
      (c) => drained(c.lists.download("job_1", { format: "xlsx" })),
      "GET /bulk/download/job_1?format=xlsx",
      null,
    ],
    ["lists.cancel", (c) => c.lists.cancel("job_1"), "DELETE /jobs/job_1", null],
    ["keys.create", (c) => c.keys.create({ name: "n", owner_email: "o@c.test" }), "POST /keys", expect.any(String)],
    ["keys.list", (c) => c.keys.list(), "GET /keys", null],
    ["keys.rotate", (c) => c.keys.rotate("key_1"), "POST /keys/key_1/rotate", "{}"],
    ["keys.revoke", (c) => c.keys.revoke("key_1"), "DELETE /keys/key_1", null],
    ["keys.update", (c) => c.keys.update("key_1", { name: "n" }), "PATCH /keys/key_1", '{"name":"n"}'],
    ["suppress.add", (c) => c.suppress.add("a@c.test"), "POST /suppression/add", expect.stringContaining('"manual"')],
    [
      "suppress.addDomain",
      (c) => c.suppress.addDomain("c.test", { reason: "unsubscribe" }),
      "POST /suppression/add",
      '{"reason":"unsubscribe","domain":"c.test"}',
    ],
    ["suppress.remove", (c) => c.suppress.remove("a@c.test"), "DELETE /suppression/a%40c.test", null],
    ["suppress.removeDomain", (c) => c.suppress.removeDomain("c.test"), "DELETE /suppression/domains/c.test", null],
    [
      "suppress.import",
      (c) => c.suppress.import("email\n", { source: "crm" }),
      "POST /suppression/import?source=crm",
      "email\n",
    ],
    ["suppress.export", (c) => drained(c.suppress.export()), "GET /suppression/export", null],
    ["webhooks.list", (c) => c.webhooks.list(), "GET /webhooks/endpoints", null],
    ["webhooks.add", (c) => c.webhooks.add(HOOK), "POST /webhooks/endpoints", JSON.stringify(HOOK)],
    [
      "webhooks.update",
      (c) => c.webhooks.update("whe_1", { paused: true }),
      "PATCH /webhooks/endpoints/whe_1",
      '{"paused":true}',
    ],
    ["webhooks.remove", (c) => c.webhooks.remove("whe_1"), "DELETE /webhooks/endpoints/whe_1", null],
    ["webhooks.test", (c) => c.webhooks.test("whe_1"), "POST /webhooks/endpoints/whe_1/test", "{}"],
    ["webhooks.redeliver", (c) => c.webhooks.redeliver("evt_1"), "POST /webhooks/deliveries/evt_1/redrive", "{}"],
    ["nodes.list", (c) => c.nodes.list(), "GET /fleet/nodes", null],
    ["nodes.health", (c) => c.nodes.health(), "GET /regions/health", null],
    ["nodes.drain", (c) => c.nodes.drain("fra-1"), "POST /fleet/nodes/fra-1/drain", "{}"],
    ["nodes.resume", (c) => c.nodes.resume("fra-1"), "POST /fleet/nodes/fra-1/resume", "{}"],
    ["nodes.remove", (c) => c.nodes.remove("fra-1"), "DELETE /fleet/nodes/fra-1", null],
  ])("%s", async (_, use, request, body) => {
    const { client, sent } = clientOf({})
    await use(client)
    expect(sent).toMatchObject([{ request, body }])
    expect(sent[0]!.headers.get("idempotency-key") !== null).toBe(request.startsWith("POST"))
  })
})

test.each<[string, object, (client: Client) => Promise<unknown[]>]>([
  ["lists.all", { jobs: ["item"] }, (c) => drained(c.lists.all())],
  ["lists.results", { results: ["item"], partial: false }, (c) => drained(c.lists.results("job_1"))],
  ["suppress.list", { suppressions: ["item"] }, (c) => drained(c.suppress.list())],
  ["webhooks.deliveries", { deliveries: ["item"] }, (c) => drained(c.webhooks.deliveries())],
])("%s reads every page", async (_, page, use) => {
  const cursors: (string | null)[] = []
  const paging: typeof fetch = async (url) => {
    const cursor = new URL(String(url)).searchParams.get("cursor")
    cursors.push(cursor)
    return Response.json({ ...page, next_cursor: cursor === null ? "second" : null })
  }
  expect(await use(createClient({ fetch: paging }))).toEqual(["item", "item"])
  expect(cursors).toEqual([null, "second"])
})

test("verifyFast returns null without a fresh stored result, and throws every other refusal", async () => {
  expect(await clientOf({ detail: "nothing fresh" }, 404).client.verifyFast("a@c.test")).toBeNull()
  await expect(clientOf({ detail: "no key" }, 401).client.verifyFast("a@c.test")).rejects.toThrow("no key")
})

/** What JavaScript accepts without a check of types. */
type Loose = Record<string, (...given: unknown[]) => Promise<unknown>>

describe("an unknown name is an error before anything is sent", () => {
  const loosely = (client: Client) => client as unknown as Loose
  test.each<[string, (client: Client) => Promise<unknown>, string]>([
    ["operation", (c) => loosely(c).call!("validat", {}), 'unknown operation "validat". The operationIds are in'],
    ["built-in name", (c) => loosely(c).call!("toString", {}), 'unknown operation "toString"'],
    ["field of a body", (c) => loosely(c).verify!("a@c.test", { smpt: true }), 'validateByBody: unknown field "smpt"'],
    ["field of a query", (c) => loosely(c).verifyFast!("a@c.test", { age: 1 }), 'validateFast: unknown field "age"'],
    ["field of an upload", (c) => loosely(c).call!("uploadList", { file: "", name: "" }), 'unknown field "name"'],
    ["field without any", (c) => loosely(c).call!("usage", { days: 1 }), 'unknown field "days". It takes no fields'],
    ["option of a call", (c) => loosely(c).usage!({ timeout: 1 }), 'options of usage: unknown option "timeout"'],
    ["part of the path", (c) => c.lists.get(""), "bulkStatus: job_id is missing"],
    [
      "option of a wait",
      (c) => loosely(c.lists as unknown as Client).wait!("job_1", { poll: 1 }),
      'options of a wait: unknown option "poll". Options: onProgress, pollMs, patienceMs, signal',
    ],
  ])("%s", async (_, use, message) => {
    const { client, sent } = clientOf({})
    const error = await use(client).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toContain(message)
    expect(sent).toEqual([])
  })

  test("option of the client", () => {
    const options = { apikey: "mv_key" } as object
    expect(() => createClient(options)).toThrow('createClient: unknown option "apikey". Options: apiKey, adminSecret')
  })
})
