import { beforeAll, expect, inject, test } from "vitest"
import { openApiDocument } from "../../scripts/build/openapi.ts"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"
import type { OpenApi } from "../support/stack/openapi-requests.ts"

const MOST_DECIMALS = 6

const PATHS = Object.entries((openApiDocument() as unknown as OpenApi).paths).flatMap(([path, { get }]) =>
  get ? [{ path, parameters: get.parameters ?? [] }] : [],
)

let key: TestKey
const ids: Record<string, string> = { domain: "mailbox.test", email: "alice@mailbox.test", region: "local" }

beforeAll(async () => {
  key = await newKey()
  const emails = ["alice@mailbox.test", "bob@mailbox.test", "nobody@mailbox.test"]
  const submitted = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson({ emails })))
  ids.job_id = submitted.body.job_id
  ids.key_id = key.keyId
  await waitForJobEnd(submitted.body.job_id, { "x-api-key": key.secret })
  for (const email of emails) await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
  const bounces = ["hard_bounce", "soft_bounce", "spam_complaint"].map((bounce_type, at) => ({
    email: emails[at],
    bounce_type,
  }))
  for (const bounce of bounces) await call("POST", "/bounce", withKey(key, postJson(bounce)))
  await call("POST", "/received", withKey(key, postJson({ email: emails[1] })))
})

/** Numbers with too many decimals, by their place in an answer. */
function longNumbers(value: unknown, place: string): string[] {
  if (typeof value === "number")
    return Math.abs(value * 10 ** MOST_DECIMALS - Math.round(value * 10 ** MOST_DECIMALS)) > 1e-3
      ? [`${place}: ${value}`]
      : []
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => longNumbers(one, `${place}.${name}`))
}

test.each(PATHS)("GET $path has no number with more than six decimals", async ({ path, parameters }) => {
  const at = (name: string, example: unknown) => encodeURIComponent(String(ids[name] ?? example ?? "mailbox.test"))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    at(name, parameters.find((one) => one.name === name)?.schema?.example),
  )
  const query = parameters
    .filter((one) => one.in === "query" && one.required)
    .map((one) => `${one.name}=${at(one.name, one.schema?.example)}`)
  const url = query.length > 0 ? `${filled}?${query.join("&")}` : filled
  for (const headers of [{ "x-api-key": key.secret }, { "x-admin-secret": inject("adminSecret") }]) {
    const { body } = await callUnchecked<unknown>(url, { headers: headers as Record<string, string> })
    expect(longNumbers(body, path)).toEqual([])
  }
})
