import fc from "fast-check"
import { beforeAll, expect, inject, test } from "vitest"
import { ENDPOINTS } from "../../src/routes/index.ts"
import { callUnchecked, publishedContract } from "../support/stack/api.ts"
import { type Account, newAccount } from "../support/stack/jobs.ts"
import { type FuzzRequest, type OpenApi, requestsFor } from "../support/stack/openapi-requests.ts"

/** FUZZ_RUNS=200 FUZZ_SEED=$RANDOM runs more and other cases. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 4)
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)
const AT_ONCE = 4
/** Successful calls of these change what other suites rely on. */
const FOR_EVERYBODY =
  /^POST \/(ml\/train|ml\/rollback|catchall-classifier\/train|gdpr\/purge|admin\/(reverify|update-\w+|lists\/overrides))$/
/** A line of a V8 stack trace. */
const STACK = /\bat [\w.<>]+ \(|\.(ts|mjs):\d+:\d+/

let account: Account
let document: OpenApi
beforeAll(async () => {
  account = await newAccount()
  document = (await callUnchecked<OpenApi>("/openapi.json")).body
})

let networks = 0
function headersFor(access: string, { contentType }: FuzzRequest): Record<string, string> {
  return {
    "x-real-ip": `10.79.${(networks >> 8) & 255}.${networks++ & 255}`,
    ...(contentType === null ? {} : { "content-type": contentType }),
    ...(access === "admin" ? { "x-admin-secret": inject("adminSecret") } : account.headers),
  }
}

const endpoints = ENDPOINTS.map(({ access, route }) => ({
  access,
  method: route.method.toUpperCase(),
  path: route.path,
}))

test.each(endpoints.filter(({ method, path }) => !FOR_EVERYBODY.test(`${method} ${path}`)))(
  "$method $path",
  async ({ access, method, path }) => {
    const contract = await publishedContract()
    const secrets = [inject("adminSecret"), inject("database").authToken, account.headers["x-api-key"]!]
    const one = requestsFor(document, path, document.paths[path]![method.toLowerCase()]!)
    const send = async (request: FuzzRequest) => {
      const answer = await callUnchecked(request.at, {
        method,
        headers: headersFor(access, request),
        body: request.body,
      })
      expect(answer.status).not.toBe(500)
      // A name with a slash makes another path, which has another schema.
      if (!/^\/[^?]*%2f/i.test(request.at)) expect(contract.problem(method, path, answer)).toBeNull()
      expect(answer.text).not.toMatch(STACK)
      for (const secret of secrets) expect(answer.text).not.toContain(secret)
    }
    const property = fc.asyncProperty(fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
      await Promise.all(requests.map(send))
    })
    await fc.assert(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 40_000 })
  },
)

test("the service still answers", async () => {
  expect((await callUnchecked("/health")).status).toBe(200)
  expect((await callUnchecked("/usage", { headers: account.headers })).status).toBe(200)
})
