import fc from "fast-check"
import { beforeAll, describe, expect, inject, test } from "vitest"
import { ENDPOINTS } from "../../src/routes/index.ts"
import { callUnchecked, postJson } from "../support/stack/api.ts"
import { type Account, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"
import { until } from "../support/time/until.ts"

const SEED = 20_261_121
/** Ids of one tenant by path parameter, and unknown ids of the same form. */
type Ids = Readonly<Record<string, string>>
const UNKNOWN: Ids = {
  job_id: "job_00000000000000000000000000000000",
  key_id: "kid_000000000000000000000000",
  receiver_id: "rcv_000000000000000000000000",
  benchmark_id: "bmk_00000000000000000000000000000000",
  verification_id: "999999998",
  event_id: "evt_00000000000000000000000000000000",
  integration_id: "int_000000000000000000000000",
  endpoint_id: "whe_000000000000000000000000",
}

interface Tenant {
  readonly account: Account
  readonly ids: Ids
  /** A word in everything that the tenant has stored. */
  readonly mark: string
}

const sending = ({ headers }: Account, body: unknown) => {
  const init = postJson(body)
  return { ...init, headers: { ...headers, "content-type": "application/json" } }
}
const post = async <T>(account: Account, path: string, body: unknown = {}) => {
  const { status, body: answer, text } = await callUnchecked<T>(path, sending(account, body))
  if (status !== 200) throw new Error(`POST ${path}: ${status} ${text}`)
  return answer
}

/** The rows of a list as soon as there are any: they are written after the answer. */
const rowsOf = <T>({ headers }: Account, path: string, field: string): Promise<T[]> =>
  until(
    async () => (await callUnchecked<Record<string, T[]>>(path, { headers })).body[field] ?? [],
    (rows) => rows.length > 0,
  )

/** An account with one object of every kind that has an id. */
async function settle(mark: string): Promise<Tenant> {
  const account = await newAccount()
  const { headers } = account
  const emails = [1, 2].map((n) => `user${n}-${mark}@d0900.test`)
  const webhook_url = `http://${inject("webhookHost")}/${mark}`
  const { job_id } = await post<{ job_id: string }>(account, "/validate/bulk/async", { emails, webhook_url })
  await waitForJobEnd(job_id, headers)
  const { receiver_id } = await post<{ receiver_id: string }>(account, "/webhooks/receivers", {
    provider: "mailgun",
    secret: mark.repeat(8),
  })
  const { endpoint_id } = await post<{ endpoint_id: string }>(account, "/webhooks/endpoints", {
    url: `http://${inject("webhookHost")}/${mark}-all`,
    events: ["usage.threshold"],
    description: mark,
  })
  const test_emails = [{ email: emails[0], expected_status: "valid", notes: mark }]
  const { benchmark_id } = await post<{ benchmark_id: string }>(account, "/benchmark/run", { test_emails })
  await post(account, "/suppression/add", { email: `stop-${mark}@d0900.test`, reason: "manual" })
  await post(account, "/bounce", { email: `gone-${mark}@d0900.test`, bounce_type: "hard" })
  await callUnchecked(`/validate?email=first-${mark}@d0900.test`, { headers })
  const [event] = await rowsOf<{ event_id: string }>(account, "/webhooks/deliveries", "deliveries")
  const [verification] = await rowsOf<{ id: number }>(account, "/me/recent-verifications", "verifications")
  const ids = {
    job_id,
    key_id: account.keyId,
    receiver_id,
    endpoint_id,
    benchmark_id,
    event_id: event!.event_id,
    verification_id: String(verification!.id),
  }
  return { account, ids, mark }
}

const endpoints = ENDPOINTS.filter(({ access }) => access === "key" || access === "key-or-admin").map(({ route }) => ({
  method: route.method.toUpperCase(),
  path: route.path,
}))
const withIds = endpoints.filter(({ path }) => Object.keys(UNKNOWN).some((name) => path.includes(`{${name}}`)))
const reads = endpoints.filter(({ method, path }) => method === "GET" && !path.includes("{") && path !== "/auth/logout")

const fill = (path: string, ids: Ids) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? UNKNOWN[name] ?? "none")

/** Other ids that a call needs. */
const QUERIES: Readonly<Record<string, string>> = { "/bulk/{job_id}/compare": "?with={job_id}" }

let one: Tenant
let two: Tenant
beforeAll(async () => {
  ;[one, two] = await Promise.all([settle("alder"), settle("birch")])
})

/** An answer without the requested id. */
async function answerTo({ account }: Tenant, method: string, at: string, id: string) {
  const body = ["POST", "PATCH"].includes(method) ? { body: "{}" } : {}
  const headers = { ...account.headers, "content-type": "application/json" }
  const { status, text } = await callUnchecked(at, { method, headers, ...body })
  return { status, text: text.replaceAll(id, "<id>") }
}

test("the tenants have the objects of the next tests", () => {
  const named = new Set(withIds.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)))
  const had = new Set(Object.keys(one.ids))
  expect([...named].filter((name) => !had.has(name) && name !== "integration_id")).toEqual([])
})

describe("another tenant's id gives exactly the answer for an unknown id", () => {
  test.each(withIds)("$method $path", async ({ method, path }) => {
    for (const [asking, other] of [
      [one, two],
      [two, one],
    ] as const) {
      const name = /\{(\w+)\}/.exec(path)![1]!
      const at = `${path}${QUERIES[path] ?? ""}`
      const theirs = other.ids[name] ?? UNKNOWN[name]!
      const foreign = await answerTo(asking, method, fill(at, other.ids), theirs)
      const unknown = await answerTo(asking, method, fill(at, UNKNOWN), UNKNOWN[name]!)
      expect(foreign).toEqual(unknown)
      expect(unknown.status).toBe(404)
    }
  })

  test("and the object still exists afterwards", async () => {
    for (const { account, ids } of [one, two])
      for (const path of ["/jobs/{job_id}", "/keys/{key_id}/usage", "/benchmark/report/{benchmark_id}"])
        expect((await callUnchecked(fill(path, ids), { headers: account.headers })).status).toBe(200)
  })
})

test("neither of two tenants ever sees the other's mark or ids, in any order of reads", async () => {
  const step = fc.record({
    isFirst: fc.boolean(),
    endpoint: fc.constantFrom(...reads),
    query: fc.constantFrom(
      "",
      "?limit=1",
      "?limit=100",
      "?domain=d0900.test",
      "?q=alder",
      "?email=user1-birch@d0900.test",
    ),
  })
  const seen = new Set<string>()
  const check = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
    for (const { isFirst, endpoint, query } of steps) {
      const [asking, other] = isFirst ? [one, two] : [two, one]
      const { status, text } = await callUnchecked(endpoint.path + query, { headers: asking.account.headers })
      expect([endpoint.path, status]).not.toEqual([endpoint.path, 500])
      const visible = query.includes(other.mark) ? text.replaceAll(/user1-\w+@/g, "") : text
      expect(visible).not.toContain(other.mark)
      for (const id of Object.values(other.ids).filter((id) => id.includes("_"))) expect(visible).not.toContain(id)
      if (text.includes(asking.mark)) seen.add(endpoint.path)
    }
  })
  await fc.assert(check, { seed: SEED, numRuns: 60 })
  // The test is only meaningful if the tenants see their own marks.
  expect(seen.size).toBeGreaterThanOrEqual(4)
})
