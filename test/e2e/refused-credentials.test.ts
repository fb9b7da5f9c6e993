import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, inject, test } from "vitest"
import { inventedKey, newKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { newAccount } from "../support/stack/jobs.ts"

/** Refused credentials of a network in a minute. */
const LIMIT = 300
/** Objects that other suites may start meanwhile. */
const OTHERS = 200

const token = () => crypto.randomUUID()

/** The answers to many calls from one network, by status. */
async function statusesOf(ip: string, count: number, init: (n: number) => { at: string } & RequestInit) {
  const answers = Array.from({ length: count }, async (_, n) => {
    const { at, headers, ...rest } = init(n)
    return (await callUnchecked(at, { ...rest, headers: { ...headers, "x-real-ip": ip } })).status
  })
  const statuses = await Promise.all(answers)
  return Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]))
}

const limiterFiles = () =>
  readdirSync(join(inject("dataDir"), "workerd/do"), { recursive: true }).filter((file) => String(file).includes("."))

describe("refused credentials are counted by network", () => {
  test.each<[string, string, (n: number) => { at: string } & RequestInit]>([
    ["invented keys", "198.51.100.1", () => ({ at: "/usage", headers: { "x-api-key": inventedKey() } })],
    [
      "invented session tokens",
      "198.51.100.2",
      () => ({ at: "/usage", headers: { authorization: `Bearer ${token()}` } }),
    ],
    [
      "invented tokens of receivers",
      "198.51.100.3",
      () => ({ at: `/webhooks/postmark?t=${token()}`, method: "POST", body: "{}" }),
    ],
    [
      "all of these together",
      "198.51.100.4",
      (n) =>
        n % 2
          ? { at: "/usage", headers: { "x-api-key": inventedKey() } }
          : { at: "/usage", headers: { authorization: `Bearer ${token()}` } },
    ],
  ])("%s", async (_, ip, init) => {
    const before = limiterFiles().length
    expect(await statusesOf(ip, LIMIT + 100, init)).toEqual({ 401: LIMIT, 429: 100 })
    expect(limiterFiles().length - before).toBeLessThan(OTHERS)
  })

  test("a key that was used before still works in that network, and one of another network does at once", async () => {
    const [used, fresh] = [await newKey(), await newKey()]
    const network = { "x-real-ip": "198.51.100.5" }
    expect((await call("GET", "/usage", withKey(used, { headers: network }))).status).toBe(200)
    const init = () => ({ at: "/usage", headers: { "x-api-key": inventedKey() } })
    expect(await statusesOf(network["x-real-ip"], LIMIT + 1, init)).toEqual({ 401: LIMIT, 429: 1 })
    const refused = await call("GET", "/usage", { headers: { "x-api-key": inventedKey(), ...network } })
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    expect((await call("GET", "/usage", withKey(used, { headers: network }))).status).toBe(200)
    const elsewhere = { headers: { "x-real-ip": "198.51.100.6" } }
    expect((await call("GET", "/usage", withKey(fresh, elsewhere))).status).toBe(200)
  })
})

describe("identities that cost nothing share limits", () => {
  const from = (ip: string, at: string) => ({ at, headers: { "x-real-ip": ip } })
  const create = async (ip: string) => {
    const { headers } = from(ip, "")
    const owner_email = `${token()}@inbox.test`
    return call<{ key_id: string; api_key: string }>("POST", "/keys", {
      ...postJson({ name: "free", owner_email }),
      headers: { ...postJson({}).headers, ...headers },
    })
  }
  /** Calls that count as one request of the minute each. */
  const spend = (secrets: readonly string[], count: number) =>
    statusesOf("198.51.100.77", count, (n) => ({
      at: "/domain-formats?domain=mailbox.test",
      headers: { "x-api-key": secrets[n % secrets.length]! },
    }))

  test("five keys that one network created have the minute of one", async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => create("198.51.100.10")))
    expect(
      await spend(
        made.map(({ body }) => body.api_key),
        25,
      ),
    ).toEqual({ 200: 10, 429: 15 })
    const other = await create("198.51.100.11")
    expect(await spend([other.body.api_key], 1)).toEqual({ 200: 1 })
  })

  test("six paid keys of an account have the minute of one", async () => {
    const { headers, secret } = await newAccount("starter")
    const more = Array.from({ length: 5 }, async () => {
      const init = { ...postJson({ name: "more", owner_email: "x@inbox.test", tier: "starter" }) }
      const made = await call<{ api_key: string }>("POST", "/keys", {
        ...init,
        headers: { ...init.headers, ...headers },
      })
      return made.body.api_key
    })
    expect(await spend([secret, ...(await Promise.all(more))], 90)).toEqual({ 200: 30, 429: 60 })
  })

  test("the /64 networks of one customer have limits of their /56 and /48, too", async () => {
    // Ten at once: each network gets a limiter of its own, and a hundred new ones stop the disk for other suites.
    async function fromNetworks(count: number, ofNth: (n: string) => string) {
      const statuses: number[] = []
      for (let first = 0; first < count; first += 10) {
        const wave = Array.from({ length: Math.min(10, count - first) }, (_, n) =>
          create(ofNth((first + n).toString(16).padStart(2, "0"))),
        )
        statuses.push(...(await Promise.all(wave)).map(({ status }) => status))
      }
      return statuses
    }
    const inOne56 = await fromNetworks(25, (n) => `2001:db8:56:aa${n}::1`)
    expect(inOne56.filter((status) => status === 429)).toHaveLength(5)
    const inOne48 = await fromNetworks(90, (n) => `2001:db8:48:${n}00::1`)
    expect(inOne48.filter((status) => status === 429)).toHaveLength(10)
  })
})
