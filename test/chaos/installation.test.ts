import Database from "libsql"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest"
import { makeSecret, SECRET_ENTROPY_BYTES } from "../../src/domain/accounts/credentials.ts"
import { ChaosStack } from "../support/stack/chaos-stack.ts"
import { until } from "../support/time/until.ts"

let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  chaos = await ChaosStack.start()
  key = await chaos.newKey()
  await chaos.nodeIs("node-0", "healthy")
  // The result must be stored before a test that allows no write.
  await until(
    async () => {
      await chaos.call("/validate?email=alice@mailbox.test", { key })
      return (await chaos.call("/validate/fast?email=alice@mailbox.test", { key })).status
    },
    (status) => status === 200,
  )
})
afterEach(() => {
  chaos.database.fault = { kind: "none" }
  chaos.database.cutAll()
})
afterAll(() => chaos.stop())

const health = async () => {
  const { status, body } = await chaos.call<{ detail?: string }>("/health")
  return [status, body.detail]
}
const IN_TIME = { interval: 250 }
const newKey = () => chaos.call("/keys", { key, body: { name: "another", owner_email: "chaos@mailbox.test" } })

test("a database that reads but accepts no write: /health says so, writes are 503, reads are answered", async () => {
  const writer = new Database(chaos.databaseFile)
  onTestFinished(() => void writer.close())
  writer.exec("BEGIN IMMEDIATE")
  // Both repeat their write for ten seconds.
  const refusing = newKey()
  await expect.poll(health, IN_TIME).toEqual([503, "the database accepts no writes"])
  expect((await chaos.call<{ database: object }>("/health")).body.database).toMatchObject({
    ...{ reachable: true, writable: false },
  })
  const refused = await refusing
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([503, expect.any(Number)])
  expect((await chaos.call("/validate/fast?email=alice@mailbox.test", { key })).status).toBe(200)
  expect(chaos.log.join("\n")).toMatch(/"event":"database_problem".*"problem":"read_only"/)
  writer.exec("ROLLBACK")
  await expect.poll(health, IN_TIME).toEqual([200, undefined])
  await expect.poll(async () => (await newKey()).status, IN_TIME).toBe(200)
})

test("a refused database token is 503 for every call, and the log and /health name it", async () => {
  chaos.database.cutAll()
  chaos.database.fault = { kind: "answer", status: 401 }
  const unknown = makeSecret(crypto.getRandomValues(new Uint8Array(SECRET_ENTROPY_BYTES)))
  const answers = await Promise.all([
    chaos.call("/keys", { key }),
    chaos.call("/validate?email=bob@mailbox.test", { key }),
    chaos.call("/validate/fast?email=bob@mailbox.test"),
    chaos.call("/keys", { key: unknown }),
    chaos.call("/auth/me", { headers: { authorization: "Bearer a-session" } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  await expect.poll(health, IN_TIME).toEqual([503, "the database refuses the service's token"])
  expect(chaos.log.join("\n")).toMatch(
    /"detail":"a rate limiter cannot use the database","cause":"the database refuses/,
  )
  expect(chaos.log.join("\n")).toMatch(/"event":"unavailable".*refuses LIBSQL_AUTH_TOKEN \(HTTP 401\)/)
  chaos.database.fault = { kind: "none" }
  await expect.poll(health, IN_TIME).toEqual([200, undefined])
  await expect.poll(async () => (await chaos.call("/keys", { key })).status, IN_TIME).toBe(200)
})

test("another pepper: a start is refused with the reason, and a running service says that the database is not its own", async () => {
  await expect(chaos.secondEdge({ KEY_PEPPER: "another".repeat(6) })).rejects.toThrow(
    /^KEY_PEPPER: the database belongs to an installation with another KEY_PEPPER \(.* id edge-1\)/,
  )
  const [{ pepper } = {}] = await chaos.rows("SELECT pepper FROM installation")
  await chaos.rows("UPDATE installation SET pepper = 'of another installation'")
  await expect.poll(health, IN_TIME).toEqual([503, "the database belongs to another installation"])
  for (const at of ["/keys", "/validate?email=bob@mailbox.test"]) {
    const { status, body, headers } = await chaos.call(at, { key })
    expect([at, status, headers.has("retry-after")]).toEqual([at, 503, true])
    expect(JSON.stringify(body)).not.toContain("PEPPER")
  }
  expect(chaos.log.join("\n")).toMatch(/"event":"unavailable".*belongs to an installation with another KEY_PEPPER/)
  await chaos.rows("UPDATE installation SET pepper = ?", [String(pepper)])
  await expect.poll(health, IN_TIME).toEqual([200, undefined])
  expect((await chaos.call("/keys", { key })).status).toBe(200)
})

test("the service logged no unhandled error", () => {
  expect(chaos.bugs).toEqual([])
})

test("a second edge on the database is refused, and one that takes over stops the first", async () => {
  await expect(chaos.secondEdge()).rejects.toThrow(
    /another edge uses this database: host .*`EDGE_TAKEOVER=1 npm start`/s,
  )
  expect((await chaos.call("/keys", { key })).status).toBe(200)
  const second = await chaos.secondEdge({ EDGE_TAKEOVER: "1" })
  onTestFinished(() => second.stop())
  await expect(chaos.stack.failed).rejects.toThrow(/has taken over this database, so this edge stops/)
  const answer = await fetch(`${second.url}/keys`, { headers: { "x-api-key": key } })
  expect(answer.status).toBe(200)
})
