import { Hono } from "hono"
import { expect, test } from "vitest"
import { AppError } from "../../../src/errors.ts"
import type { AppEnv } from "../../../src/http/endpoint.ts"
import { onError } from "../../../src/http/errors.ts"

/** What is answered to a failure, and what is logged of it. */
async function tell(error: Error) {
  const logged: [string, Record<string, unknown>][] = []
  const app = new Hono<AppEnv>()
  app.use((c, next) => {
    c.set("deps", { log: (event: string, fields: object) => void logged.push([event, { ...fields }]) } as never)
    return next()
  })
  app.get("/", () => {
    throw error
  })
  app.onError(onError)
  const answer = await app.request("/")
  return { status: answer.status, headers: answer.headers, text: await answer.text(), logged }
}

test("why something of others cannot be had, the operator is told and the caller is not", async () => {
  const cause = new Error("the mail API answered 401")
  const { status, text, logged } = await tell(
    new AppError("unavailable", "the mail service did not take it", { cause }),
  )
  expect([status, text]).toEqual([503, expect.not.stringContaining("401")])
  expect(logged).toEqual([["unavailable", { detail: "the mail service did not take it", cause: cause.message }]])
})

test("a refusal that has no cause, or whose cause is the caller, leaves no line", async () => {
  const cause = new Error("the body broke off")
  for (const error of [new AppError("unavailable", "not configured"), new AppError("bad_request", "broken", { cause })])
    expect((await tell(error)).logged).toEqual([])
})

test("a 401 names the scheme that opens, as HTTP demands: some clients report its absence instead of the answer", async () => {
  const challenge = async (error: AppError) => (await tell(error)).headers.get("www-authenticate")
  expect(await challenge(new AppError("unauthorized", "no key"))).toBe("Bearer")
  expect(await challenge(new AppError("forbidden", "not yours"))).toBeNull()
})

test("what the platform says of an overloaded or restarted object is 503, for now, and no bug of ours", async () => {
  for (const mark of ["overloaded", "retryable"]) {
    const error = Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), { [mark]: true })
    const { status, headers, logged } = await tell(error)
    expect([status, headers.get("retry-after"), logged[0]?.[0]]).toEqual([503, "1", "unavailable"])
  }
  expect((await tell(Object.assign(new Error("ours"), { remote: true }))).status).toBe(500)
})
