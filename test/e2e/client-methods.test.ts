import { Webhook } from "standardwebhooks"
import { beforeAll, describe, expect, inject, test } from "vitest"
import { type Client, createClient } from "../../src/client/client.ts"
import { MailverdictError } from "../../src/client/errors.ts"
import { newKey, usedCredits } from "../support/stack/account.ts"

let client: Client
let key: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  key = await newKey()
  client = createClient({ baseUrl: inject("stackUrl"), apiKey: key.secret })
})

async function drained<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

test("an address is verified for a credit, and then read from the store for none", async () => {
  expect(await client.verifyFast("never-verified@d0880.test")).toBeNull()
  expect(await client.verify("alice@mailbox.test")).toMatchObject({ status: "valid" })
  expect(await client.verify("no address")).toMatchObject({ status: "invalid" })
  const used = await usedCredits(key)
  await expect.poll(() => client.verifyFast("alice@mailbox.test")).toMatchObject({ checks: { status: "valid" } })
  expect(await usedCredits(key)).toBe(used)
  expect(await client.usage()).toMatchObject({ credits_used: used })
})

test("a list is uploaded, waited for and read in every form", async () => {
  const list = await client.lists.upload("name,email\nAda,user1@d0881.test\nBob,no-1@d0881.test\n", {
    deduplicate: true,
  })
  expect(list).toMatchObject({ total: 2, file: { email_column: "email" } })
  expect(await client.lists.wait(list.job_id, { pollMs: 200 })).toMatchObject({ status: "complete" })
  const results = await drained(client.lists.results(list.job_id))
  expect(results.map(({ checks }) => [checks.email, checks.status])).toEqual([
    ["user1@d0881.test", "valid"],
    ["no-1@d0881.test", "invalid"],
  ])
  expect(await client.lists.get(list.job_id)).toMatchObject({ job_id: list.job_id, progress: 2 })
  expect(await client.lists.report(list.job_id)).toMatchObject({ job_id: list.job_id, total: 2 })
  const bytes = await drained(client.lists.download(list.job_id, { filter: "can_send" }))
  expect(Buffer.concat(bytes).toString()).toMatch(/^name,email,status,.*\r\nAda,user1@d0881\.test,valid,.*\r\n$/)
  const ids = (await drained(client.lists.all())).map(({ job_id }) => job_id)
  expect(ids).toContain(list.job_id)
  const named = await client.lists.upload(new File(["email\nuser2@d0881.test\n"], "spring customers.csv"))
  expect(await drained(client.lists.all({ name: "spring" }))).toMatchObject([
    { job_id: named.job_id, file_name: "spring customers.csv" },
  ])
})

test("addresses become a list, which can be canceled, and a sample of a file does not", async () => {
  const { job_id } = await client.lists.verify(["nobody@tarpit.test"])
  expect(await client.lists.cancel(job_id)).toMatchObject({ job_id, status: "failed" })
  const lines = Array.from({ length: 300 }, (_, index) => `user${index}@d0882.test`)
  expect(await client.lists.sample(`email\n${lines.join("\n")}\n`)).toMatchObject({ status: "sampled", total: 300 })
})

test("a key is created, renamed, replaced and revoked", async () => {
  const created = await client.keys.create({ name: "first", owner_email: "owner@mailbox.test" })
  const other = createClient({ baseUrl: inject("stackUrl"), apiKey: created.api_key })
  expect(await other.usage()).toMatchObject({ tier: "free" })
  expect(await client.keys.update(created.key_id, { name: "renamed" })).toMatchObject({ name: "renamed" })
  const rotated = await client.keys.rotate(created.key_id)
  expect(rotated).toMatchObject({ rotated_from: created.key_id })
  expect(await client.keys.revoke(rotated.key_id)).toMatchObject({ revoked: true })
  expect((await client.keys.list()).map(({ name }) => name)).toContain("renamed")
})

test("an address and a domain are suppressed, exported, imported and removed", async () => {
  expect(await client.suppress.add("a@d0883.test")).toMatchObject({ change: "added", entry: { reason: "manual" } })
  expect(await client.suppress.addDomain("d0884.test", { expires_in_days: 3 })).toMatchObject({ change: "added" })
  const entries = await drained(client.suppress.list({ reason: "manual" }))
  expect(entries).toMatchObject([{ domain: "d0884.test" }, { email: "a@d0883.test" }])
  const csv = (await drained(client.suppress.export())).join("")
  expect(await client.suppress.import(csv)).toMatchObject({ status: "imported", added: 0 })
  expect(await client.suppress.remove("a@d0883.test")).toMatchObject({ still_suppressed: false })
  expect(await client.suppress.removeDomain("d0884.test")).toMatchObject({ still_suppressed: false })
})

test("an endpoint for webhooks is added, tested, paused and removed", async () => {
  const url = `http://${inject("webhookHost")}/`
  const endpoint = await client.webhooks.add({ url, events: ["job.completed"] })
  expect(await client.webhooks.list()).toMatchObject([{ endpoint_id: endpoint.endpoint_id }])
  const { event_id } = await client.webhooks.test(endpoint.endpoint_id)
  await expect.poll(() => drained(client.webhooks.deliveries({ event_id }))).toMatchObject([{ type: "webhook.test" }])
  expect(await client.webhooks.redeliver(event_id)).toMatchObject({ event_id, state: "pending" })
  expect(await client.webhooks.update(endpoint.endpoint_id, { paused: true })).toMatchObject({ state: "paused" })
  await client.webhooks.remove(endpoint.endpoint_id)
  expect(await client.webhooks.list()).toEqual([])
})

test("a webhook's signature is verified without a call", () => {
  const secret = `whsec_${Buffer.from("a secret of the tests").toString("base64")}`
  const body = JSON.stringify({ type: "job.completed", timestamp: new Date().toISOString(), data: { job_id: "job_1" } })
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", new Date(), body),
  }
  expect(client.webhooks.verifySignature(body, headers, secret)).toMatchObject({ data: { job_id: "job_1" } })
  expect(() => client.webhooks.verifySignature(`${body} `, headers, secret)).toThrow()
})

test("the rest: a person, a domain, the account, the nodes", async () => {
  expect(await client.find({ first_name: "Ada", last_name: "King", domain: "d0885.test" })).toHaveProperty("outcome")
  expect(await client.domain("mailbox.test")).toMatchObject({ domain: "mailbox.test" })
  expect(await client.account()).toMatchObject({ email: "owner@mailbox.test", signed_in_by: "key" })
  const operator = createClient({ baseUrl: inject("stackUrl"), adminSecret: inject("adminSecret") })
  const [node] = await operator.nodes.list()
  const regions = await operator.nodes.health()
  expect(regions.flatMap(({ probes }) => probes.map(({ id }) => id))).toContain(node!.id)
})

describe("what a method documents as its error", () => {
  test.each<[string, number, (client: Client) => Promise<unknown>]>([
    ["verifyFast with an invalid option", 422, (c) => c.verifyFast("a@d0880.test", { max_age_hours: -1 })],
    ["lists.results of an unknown list", 404, (c) => drained(c.lists.results("job_unknown"))],
    ["keys.create with an invalid field", 422, (c) => c.keys.create({ name: "", owner_email: "owner" })],
    ["keys.rotate of an unknown key", 404, (c) => c.keys.rotate("key_unknown")],
    ["find at a mailbox provider", 400, (c) => c.find({ first_name: "A", last_name: "K", domain: "gmail.com" })],
    ["domain without a domain", 400, (c) => c.domain("no domain")],
    ["lists.get of an unknown list", 404, (c) => c.lists.get("job_unknown")],
    ["lists.wait of an unknown list", 404, (c) => c.lists.wait("job_unknown")],
    ["lists.upload of an empty file", 422, (c) => c.lists.upload(" ")],
    ["keys.revoke of an unknown key", 404, (c) => c.keys.revoke("key_unknown")],
    ["suppress.add of no address", 400, (c) => c.suppress.add("no address")],
    ["suppress.addDomain of no domain", 400, (c) => c.suppress.addDomain("no domain")],
    ["suppress.remove of an absent address", 404, (c) => c.suppress.remove("absent@d0886.test")],
    ["webhooks.add of a bad URL", 422, (c) => c.webhooks.add({ url: "no url", events: ["job.completed"] })],
    ["webhooks.test of an unknown endpoint", 404, (c) => c.webhooks.test("whe_unknown")],
    ["webhooks.redeliver of an unknown event", 404, (c) => c.webhooks.redeliver("evt_unknown")],
    ["nodes.drain of an unknown node", 404, (c) => c.nodes.drain("unknown-1")],
  ])("%s: %i", async (_, status, use) => {
    const error = await use(client).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MailverdictError)
    expect(error).toMatchObject({ status })
  })
})
