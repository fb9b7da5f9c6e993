import { describe, expect, inject, test } from "vitest"
import type { Received } from "../support/providers/hook-receiver.ts"
import { newKey, usedCredits, withKey } from "../support/stack/account.ts"
import { type CallInit, call } from "../support/stack/api.ts"
import { getByEmail } from "../support/stack/get-by-email.ts"
import { until } from "../support/time/until.ts"

interface Pending {
  readonly verification_id: string
  readonly state: string
  readonly status: string | null
  readonly result: { status: string; checks: Record<string, unknown> } | null
}

const statusOf = (id: string, init: CallInit = {}) =>
  call<Pending>("GET", "/verify/status/{verification_id}", { ...init, at: `/verify/status/${id}` })

const untilFinal = (id: string, init: CallInit = {}): Promise<Pending> =>
  until(
    async () => (await statusOf(id, init)).body,
    ({ state }) => state === "complete" || state === "failed",
  )

describe("/verify/quick and /verify/status", () => {
  test("an endless address is truncated between characters", async () => {
    const { status, body } = await getByEmail("/verify/quick", `${"x".repeat(319)}😀@mailbox.test`)
    expect({ status, state: body.state }).toEqual({ status: 200, state: "complete" })
  })

  test("answers at once, finishes in the background, and is cached afterwards", async () => {
    const first = await getByEmail("/verify/quick", "alice+quentin@mailbox.test")
    expect(first.body).toMatchObject({
      state: "queued",
      status: "unknown",
      cached: false,
      checks: null,
      syntax_valid: true,
    })
    const done = await untilFinal(String(first.body.verification_id))
    expect(done).toMatchObject({ state: "complete", status: "valid", result: { status: "valid" } })
    const second = await getByEmail("/verify/quick", "alice+quentin@mailbox.test")
    expect(second.body).toMatchObject({ state: "complete", status: "valid", cached: true, checks: { cached: true } })
    expect(await untilFinal(String(second.body.verification_id))).toMatchObject({ status: "valid" })
    const third = await getByEmail("/verify/quick", "alice+quentin@mailbox.test")
    expect(third.body.verification_id).toBe(second.body.verification_id)
  })

  test("a slow mail server does not delay the answer", async () => {
    // With the server's answer, the verification would be complete.
    const { body } = await getByEmail("/verify/quick", `quick-${crypto.randomUUID()}@slow-greeting.test`)
    expect(body).toMatchObject({ state: "queued", status: "unknown" })
    expect(await untilFinal(String(body.verification_id))).toMatchObject({ state: "complete", status: "invalid" })
  })

  test("a malformed address is final at once", async () => {
    const { body } = await getByEmail("/verify/quick", "a..b@mailbox.test")
    expect(body).toMatchObject({ state: "complete", status: "invalid_syntax", syntax_valid: false })
    const done = await statusOf(String(body.verification_id))
    expect(done.body).toMatchObject({ status: "invalid_syntax", result: { status: "invalid" } })
  })

  test("is visible to its account only, and costs one credit once", async () => {
    const [owner, stranger] = [await newKey(), await newKey()]
    const { body } = await getByEmail("/verify/quick", "alice+rita@mailbox.test", withKey(owner))
    const id = String(body.verification_id)
    expect((await statusOf(id)).status).toBe(404)
    expect((await statusOf(id, withKey(stranger))).status).toBe(404)
    expect(await untilFinal(id, withKey(owner))).toMatchObject({ status: "valid" })
    await getByEmail("/verify/quick", "alice+rita@mailbox.test", withKey(owner))
    await expect.poll(() => usedCredits(owner)).toBe(1)
  })

  test("an unknown result refunds the credit", async () => {
    const key = await newKey()
    const { body } = await getByEmail("/verify/quick", "rita@refused.test", withKey(key))
    expect(await untilFinal(String(body.verification_id), withKey(key))).toMatchObject({ status: "unknown" })
    await expect.poll(() => usedCredits(key)).toBe(0)
  })

  test("notifies the webhook once, in the format of Standard Webhooks", async () => {
    const key = await newKey()
    const hook = `${inject("providerUrls").hooks}/quick-${key.keyId}`
    const more = `&webhook_url=${encodeURIComponent(hook)}`
    const { body } = await getByEmail("/verify/quick", "alice+hook@mailbox.test", { ...withKey(key), more })
    const received = async () => (await (await fetch(hook)).json()) as Received[]
    await expect.poll(received).toHaveLength(1)
    const [event] = await received()
    expect(event!.headers["webhook-id"]).toMatch(/^evt_/)
    expect(event!.headers["webhook-signature"]).toMatch(/^v1,/)
    expect(JSON.parse(event!.body)).toMatchObject({
      type: "verification.completed",
      data: {
        verification_id: body.verification_id,
        state: "complete",
        status: "valid",
        email: "alice+hook@mailbox.test",
      },
    })
    // A second call finds the cached result. It is a separate verification, and its event is sent at once.
    const again = () => getByEmail("/verify/quick", "alice+hook@mailbox.test", { ...withKey(key), more })
    const second = await again()
    await expect.poll(received).toHaveLength(2)
    // An identical call shares the second one's verification, and has no event of its own.
    expect((await again()).body.verification_id).toBe(second.body.verification_id)
    const { body: log } = await call("GET", "/webhooks/deliveries", withKey(key))
    expect(log.deliveries).toHaveLength(2)
  })

  test("an unknown id is 404", async () => {
    expect((await statusOf("ver_none")).status).toBe(404)
  })

  test.each(["http://example.org/hook", "https://127.1/hook", "https://localhost/", "https://a.internal/", "nonsense"])(
    "webhook_url %s is refused with the name of the field",
    async (url) => {
      const answer = await getByEmail("/verify/quick", "alice@mailbox.test", {
        more: `&webhook_url=${encodeURIComponent(url)}`,
      })
      expect(answer.status).toBe(422)
      expect(answer.body.detail).toMatchObject([{ loc: ["query", "webhook_url"] }])
    },
  )
})
