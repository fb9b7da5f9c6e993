import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { GOOGLE_CLIENT_ID, startGoogleAccounts } from "../support/providers/google-accounts.ts"
import type { StubServer } from "../support/providers/stub-server.ts"
import { until } from "../support/time/until.ts"
import type { AttackerMethods } from "./attacker.ts"
import { ATTACKS, type Attack, CONNECTIONS, CROWD, type Loot } from "./attacks.ts"
import type { Account, BystanderMethods } from "./bystander.ts"
import { CalledProcess } from "./called-process.ts"
import { type Result, tableOf } from "./report.ts"
import { type Resources, ServiceProcess } from "./service-process.ts"

/** What may remain of an attack: caches, connections of the database's pool, rows and files of a minute's crons. */
const MAY_GROW = { files: 50, handles: 50, rows: 100 }
const FLAT_AGAIN = { withinMs: 20_000, everyMs: 500 }
const HANG_MS = 400_000
const QUIET_SECONDS = 3
const UPLOADERS = 10

let google: StubServer
let service: ServiceProcess
let workerd: number
const attacker = new CalledProcess<AttackerMethods>("attacker.ts")
const bystander = new CalledProcess<BystanderMethods>("bystander.ts")
const results: Result[] = []
let account: Account
let loot: Loot

beforeAll(async () => {
  google = await startGoogleAccounts()
  service = await ServiceProcess.start({
    GOOGLE_CLIENT_ID,
    GOOGLE_AUTH_URL: `${google.url}/auth`,
    GOOGLE_JWKS_URL: `${google.url}/certs`,
  })
  workerd = service.workerd
  const anonymous = await attacker.call("createKeys", service.url)
  const uploaders = await Promise.all(Array.from({ length: UPLOADERS }, () => newKey("free")))
  loot = { anonymous, uploaders }
  account = { url: service.url, key: await newKey("enterprise"), email: "user1@d0001.test" }
  const { status } = await fetch(`${account.url}/validate?email=${account.email}`, {
    headers: { "x-api-key": account.key },
  })
  expect(status).toBe(200)
  await bystander.call("warmUp", account)
  const { answers } = await attacker.call("attack", { name: CROWD.name, url: service.url, loot })
  expect(Object.keys(answers)).toEqual(["200"])
}, HANG_MS)
afterAll(async () => {
  if (results.length > 0) console.log(`\n${tableOf(results)}\n`)
  await Promise.all([attacker.stop(), bystander.stop()])
  await service?.stop()
  await google?.stop()
})

async function newKey(tier: "free" | "enterprise"): Promise<string> {
  const headers = { "content-type": "application/json", "x-admin-secret": service.adminSecret }
  const body = JSON.stringify({ name: "attack", owner_email: "owner@mailbox.test", tier })
  const answer = await fetch(`${service.url}/keys`, { method: "POST", headers, body })
  return ((await answer.json()) as { api_key: string }).api_key
}

function grownBeyond(before: Resources, after: Resources, mayKeepMb: number): string[] {
  return Object.entries({ ...MAY_GROW, workerdMb: mayKeepMb, othersMb: mayKeepMb }).flatMap(([name, most]) => {
    const [from, to] = [before[name as keyof Resources], after[name as keyof Resources]]
    return to > from + most ? [`${name}: ${from.toFixed(0)} before, ${to.toFixed(0)} after`] : []
  })
}

async function run({ name, mayKeepMb }: Attack): Promise<Result> {
  const quiet = await bystander.call("quiet", { ...account, seconds: QUIET_SECONDS })
  expect(quiet.answers, "after the attack before this one").toEqual({ 200: quiet.sent })
  const [before, restartsBefore, fetchesBefore] = [await service.resources(), service.restarts, google.calls.length]
  const stopWatching = service.watch()
  await bystander.call("start", account)
  const ended = await attacker.call("attack", { name, url: service.url, loot })
  const during = await bystander.call("stop", null)
  const peak = stopWatching()
  let after = await service.resources()
  const flat = async () => {
    after = await service.resources()
    return grownBeyond(before, after, mayKeepMb)
  }
  await until(flat, (problems) => problems.length === 0, FLAT_AGAIN).catch(() => undefined)
  const restarts = service.restarts - restartsBefore
  const fetches = google.calls.length - fetchesBefore
  return { name, connections: CONNECTIONS, ended, restarts, before, peak, after, fetches, quiet, during }
}

describe.each(ATTACKS)("$name", (attack) => {
  const { refusals, mayKeepMb } = attack
  let result: Result
  beforeAll(async () => {
    result = await run(attack)
    results.push(result)
  }, HANG_MS)

  test("every request gets an answer or a close, and every stalled connection ends", () => {
    expect(result.ended).toMatchObject({ unanswered: 0, leftOpen: 0 })
  })

  test("every answer is a refusal", () => {
    const others = Object.keys(result.ended.answers).filter((status) => !refusals.includes(Number(status)))
    expect(others).toEqual([])
  })

  test("workerd is not restarted, and no error is unhandled", () => {
    expect([result.restarts, service.bugs]).toEqual([0, []])
  })

  test("memory, files, handles and rows are flat after it", () => {
    expect(grownBeyond(result.before, result.after, mayKeepMb).join("; ")).toBe("")
  })

  test("the keys of the identity provider are not fetched for each token", () => {
    expect(result.fetches).toBeLessThanOrEqual(3)
  })

  test("every call of another account is answered", () => {
    expect(result.during.sent).toBeGreaterThan(0)
    expect(result.during.answers).toEqual({ 200: result.during.sent })
  })
})

test("after all attacks the service still answers, from the same process", async () => {
  const { status } = await fetch(`${service.url}/health`)
  expect([status, service.workerd]).toEqual([200, workerd])
})
