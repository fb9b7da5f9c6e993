import { describe, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, postJson } from "../support/stack/api.ts"

const post = (key: TestKey, body: unknown, idempotencyKey: string): CallInit => {
  const init = withKey(key, postJson(body))
  return { ...init, headers: { ...init.headers, "idempotency-key": idempotencyKey } }
}
const used = async (key: TestKey) =>
  (await call<{ credits_used: number }>("GET", "/usage", withKey(key))).body.credits_used

describe("Idempotency-Key", () => {
  test("a retry gets the first answer, unchanged, and is not charged", async () => {
    const key = await newKey()
    const init = post(key, { email: "user777@d1820.test" }, "order-1")
    const first = await call("POST", "/validate/checks", init)
    const again = await call("POST", "/validate/checks", init)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
    expect(await used(key)).toBe(1)
  })

  test("of many concurrent requests one runs, the others get 409 or the same answer", async () => {
    const key = await newKey()
    const init = post(key, { email: "erin@tarpit.test" }, "order-2")
    const answers = await Promise.all(Array.from({ length: 6 }, () => call("POST", "/validate", init)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(
      answers.filter(({ status, headers }) => status === 200 && !headers.has("idempotency-replayed")),
    ).toHaveLength(1)
    expect(await used(key)).toBe(1)
  })

  test("the same key with another body is 422, and from another caller it is another request", async () => {
    const [one, two] = [await newKey(), await newKey()]
    await call("POST", "/validate", post(one, { email: "user2@d1820.test" }, "order-3"))
    const other = await call("POST", "/validate", post(one, { email: "user3@d1820.test" }, "order-3"))
    expect(other).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["header", "idempotency-key"] }], code: "idempotency_key_reused" },
    })
    const stranger = await call("POST", "/validate", post(two, { email: "user3@d1820.test" }, "order-3"))
    expect(stranger.status).toBe(200)
    expect(stranger.headers.has("idempotency-replayed")).toBe(false)
  })

  test("requests that differ only in their query are distinguished", async () => {
    const key = await newKey()
    const find = (first: string) => {
      const at = `/find-email/v2?first_name=${first}&last_name=Smith&domain=d1822.test&do_smtp=false`
      return call("POST", "/find-email/v2", { ...post(key, {}, "order-5"), at })
    }
    const first = await find("Alice")
    const again = await find("Alice")
    expect(again.body).toEqual(first.body)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect((await find("Bob")).status).toBe(422)
  })

  test("a refused request stores nothing, and its key can be used again", async () => {
    const key = await newKey("free")
    const body = { emails: Array.from({ length: 99 }, (_, i) => `user${i}@d1821.test`) }
    await call("POST", "/validate/bulk", withKey(key, postJson({ emails: body.emails.slice(0, 50) })))
    expect((await call("POST", "/validate/bulk", post(key, body, "order-4"))).status).toBe(429)
    const smaller = { emails: body.emails.slice(50, 60) }
    expect((await call("POST", "/validate/bulk", post(key, smaller, "order-4"))).status).toBe(200)
  })

  test("an oversized key is 422", async () => {
    const key = await newKey()
    expect((await call("POST", "/validate", post(key, { email: "a@d1820.test" }, "x".repeat(300)))).status).toBe(422)
  })
})
