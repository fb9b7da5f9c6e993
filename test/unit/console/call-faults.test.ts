import { afterEach, expect, test, vi } from "vitest"
import { type Answer, call, change, together } from "../../../src/console/api/call.ts"

afterEach(() => vi.unstubAllGlobals())

const answerWith = (status: number, body: unknown) =>
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(body, { status })))

const LABELS = { email: "Address", webhook_url: "Webhook URL" }

test.each([
  [
    "a field of the body",
    [{ loc: ["body", "webhook_url"], msg: "must be a URL" }],
    { webhook_url: "Webhook URL: must be a URL" },
  ],
  [
    "two fields",
    [
      { loc: ["body", "email"], msg: "too long" },
      { loc: ["body", "webhook_url"], msg: "must be a URL" },
    ],
    { email: "Address: too long", webhook_url: "Webhook URL: must be a URL" },
  ],
  ["an entry of a field", [{ loc: ["body", "email", 3], msg: "too long" }], { email: "Address 4: too long" }],
  ["a text that begins with a field", "email: too long", { email: "Address: too long" }],
  ["a text about no field", "no credits left: buy some", undefined],
])("an error about %s names its faults by the form's labels", async (_, detail, faults) => {
  answerWith(422, { detail })
  const answer = await call("/x", { labels: LABELS })
  expect(answer.ok ? null : answer.problem.faults).toEqual(faults)
})

test("a change tells its body only after a success", async () => {
  const done = vi.fn()
  answerWith(200, { id: 1 })
  expect(await change("/x", { method: "POST" }, done)).toBeNull()
  answerWith(409, { detail: "taken", code: "conflict" })
  expect(await change("/x", { method: "POST" }, done)).toMatchObject({
    status: 409,
    code: "conflict",
    message: "Taken",
  })
  expect(done.mock.calls).toEqual([[{ id: 1 }]])
})

test("calls that belong together give their bodies by name, or the first problem", async () => {
  const good = (body: number): Promise<Answer<number>> => Promise.resolve({ ok: true, body })
  const bad = (status: number): Promise<Answer<number>> =>
    Promise.resolve({ ok: false, problem: { status, message: "", requestId: null } })
  expect(await together({ a: good(1), b: good(2) })).toEqual({ ok: true, body: { a: 1, b: 2 } })
  expect(await together({ a: good(1), b: bad(500), c: bad(404) })).toMatchObject({ problem: { status: 500 } })
})
