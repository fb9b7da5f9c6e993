import { Hono } from "hono"
import { expect, test } from "vitest"
import { errorPage } from "../../../scripts/build/docs/errors.ts"
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from "../../../src/error-codes.ts"
import { AppError } from "../../../src/errors.ts"
import type { AppEnv } from "../../../src/http/endpoint.ts"
import { onError } from "../../../src/http/errors.ts"

/** The answer to an error, and its log lines. */
async function answerTo(error: Error) {
  const logged: [string, Record<string, unknown>][] = []
  const app = new Hono<AppEnv>()
  app.use((c, next) => {
    const log = (event: string, fields: object) => void logged.push([event, { ...fields }])
    c.set("ctx", { log, disk: { space: async () => null } } as never)
    return next()
  })
  app.get("/", () => {
    throw error
  })
  app.onError(onError)
  const answer = await app.request("/")
  return { status: answer.status, headers: answer.headers, text: await answer.text(), logged }
}

test("the cause of a failure elsewhere is logged, and not in the answer", async () => {
  const cause = new Error("the mail API answered 401")
  const { status, text, logged } = await answerTo(
    new AppError("unavailable", "the mail service did not take it", { cause }),
  )
  expect([status, text]).toEqual([503, expect.not.stringContaining("401")])
  expect(logged).toEqual([["unavailable", { detail: "the mail service did not take it", cause: cause.message }]])
})

test("an error without a cause, or with a cause at the caller, is not logged", async () => {
  const cause = new Error("the body broke off")
  for (const error of [new AppError("unavailable", "not configured"), new AppError("bad_request", "broken", { cause })])
    expect((await answerTo(error)).logged).toEqual([])
})

test("a 401 has WWW-Authenticate, as HTTP requires, because some clients report its absence instead of the answer", async () => {
  const challenge = async (error: AppError) => (await answerTo(error)).headers.get("www-authenticate")
  expect(await challenge(new AppError("unauthorized", "no key"))).toBe("Bearer")
  expect(await challenge(new AppError("forbidden", "not yours"))).toBeNull()
})

test("an error of an overloaded or restarted object is a 503 with Retry-After, not an internal error", async () => {
  for (const mark of ["overloaded", "retryable"]) {
    const error = Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), { [mark]: true })
    const { status, headers, logged } = await answerTo(error)
    expect([status, headers.get("retry-after"), logged[0]?.[0]]).toEqual([503, "1", "unavailable"])
  }
  const bug = await answerTo(Object.assign(new Error("ours"), { remote: true }))
  expect([bug.status, JSON.parse(bug.text)]).toMatchObject([500, { code: "internal_error" }])
})

test.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  "the answer to %s has its status and leads to its row",
  async (code) => {
    const { status, headers, text } = await answerTo(new AppError(code, "why"))
    expect([status, JSON.parse(text)]).toEqual([ERROR_STATUS[ERROR_CODES[code].kind], { detail: "why", code }])
    expect(headers.get("link")).toBe(`</docs/errors#${code}>; rel="help"`)
    expect(errorPage().split(` id="${code}"`)).toHaveLength(2)
  },
)
