import { describe, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { untilStored } from "../support/stack/stored.ts"

type Body = Record<string, unknown>
interface WithBreakdown {
  readonly score: number
  readonly can_send: boolean
  readonly status: string
  readonly score_breakdown: Record<string, number>
}

async function validate(key: TestKey, email: string): Promise<WithBreakdown> {
  const init = withKey(key, { at: `/validate?email=${email}` })
  const { checks } = (await call<{ checks: WithBreakdown }>("GET", "/validate", init)).body
  await untilStored(email)
  return checks
}
const fast = async (key: TestKey, email: string) =>
  (
    await call<{ checks: WithBreakdown }>(
      "GET",
      "/validate/fast",
      withKey(key, { at: `/validate/fast?email=${email}` }),
    )
  ).body.checks
const post = (key: TestKey, path: string, query: string) =>
  call("POST", path, withKey(key, { method: "POST", at: `${path}?${query}` }))
const bounce = (key: TestKey, body: Body) => call("POST", "/bounce", withKey(key, postJson(body)))
const get = async <T = Body>(key: TestKey, path: string) => (await call<T>("GET", path, withKey(key))).body
const isSuppressed = async (key: TestKey, email: string) =>
  (await call("GET", "/suppression/check", withKey(key, { at: `/suppression/check?email=${email}` }))).body
    .is_suppressed

describe("bounces", () => {
  test.each([
    ["hard_bounce", true, false],
    ["hard", true, false],
    ["soft_bounce", false, true],
    ["spam_complaint", false, false],
  ])("%s: suppressed is %s, can_send is %s", async (bounce_type, suppressed, canSend) => {
    const key = await newKey()
    const email = "user1@d0301.test"
    await validate(key, email)
    const { body } = await bounce(key, { email, bounce_type, bounce_code: "550", bounce_msg: "550 5.1.1 no such user" })
    expect(body).toMatchObject({ status: "recorded", suppressed, message: expect.any(String) })
    expect(await isSuppressed(key, email)).toBe(suppressed)
    expect([(await validate(key, email)).can_send, (await fast(key, email)).can_send]).toEqual([canSend, canSend])
    expect(await isSuppressed(await newKey(), email)).toBe(false)
  })

  test("a repeated report counts once, and suppresses a removed address again", async () => {
    const key = await newKey()
    const report = { email: "user2@d0301.test", bounce_type: "hard_bounce" }
    const answers = await Promise.all([bounce(key, report), bounce(key, report), bounce(key, report)])
    expect(answers.map(({ body }) => body.status).toSorted()).toEqual(["known", "known", "recorded"])
    await call("DELETE", "/suppression/{email}", withKey(key, { at: "/suppression/user2%40d0301.test" }))
    expect((await bounce(key, report)).body).toMatchObject({ status: "known", suppressed: true })
    expect(await isSuppressed(key, "user2@d0301.test")).toBe(true)
    expect(await get(key, "/bounce/stats")).toMatchObject({ total: 1 })
  })

  test("are counted by kind, day and domain", async () => {
    const key = await newKey()
    await bounce(key, { email: "a@d0302.test", bounce_type: "hard_bounce" })
    await bounce(key, { email: "b@d0302.test", bounce_type: "hard" })
    await bounce(key, { email: "c@d0303.test", bounce_type: "soft_bounce" })
    await bounce(key, { email: "d@d0303.test", bounce_type: "spam_complaint" })
    await post(key, "/delivered", "email=e@d0303.test")
    const today = { hard_bounce: 2, soft_bounce: 1, spam_complaint: 1 }
    expect(await get(key, "/bounce/stats")).toEqual({
      total: 4,
      by_type: today,
      delivered: 1,
      bounce_rate: 0.75,
      last_30_days: { ...today, daily: [{ day: new Date().toISOString().slice(0, 10), ...today }] },
      top_domains: [{ domain: "d0302.test", hard_bounces: 2 }],
    })
    expect(await get(await newKey(), "/bounce/stats")).toMatchObject({ total: 0, bounce_rate: null })
  })

  test.each([
    [{ email: "nonsense", bounce_type: "hard_bounce" }, 400],
    [{ email: "a@d0301.test", bounce_type: "bounced" }, 422],
    [{ email: "a@d0301.test" }, 422],
    [{ bounce_type: "hard_bounce" }, 422],
  ])("%j is %i", async (body, status) => {
    expect((await bounce(await newKey(), body)).status).toBe(status)
  })
})

describe("received mail", () => {
  const sumOf = ({ score_breakdown }: WithBreakdown) =>
    Object.values(score_breakdown).reduce((total, points) => total + points, 0)

  test("raises the score by 25, also at a catch-all domain, and only for that account", async () => {
    const [key, other] = [await newKey(), await newKey()]
    const email = "anyone@catch-all.test"
    const before = await validate(key, email)
    expect(before).toMatchObject({ status: "accept_all", score_breakdown: { smtp_bonus: 10, received_bonus: 0 } })
    expect(before.score).toBe(sumOf(before))

    const { body } = await post(key, "/received", `email=${email}`)
    expect(body).toMatchObject({ status: "recorded" })
    for (const after of [await validate(key, email), await fast(key, email)]) {
      expect(after.score_breakdown).toEqual({
        ...before.score_breakdown,
        ...{ smtp_bonus: 30, catch_all_bonus: 0, received_bonus: 25 },
      })
      expect(after.score).toBe(Math.min(100, sumOf(after)))
      expect(after).toMatchObject({ status: "accept_all", can_send: true })
    }
    const bulk = await call<{ results: { checks: { score: number } }[] }>(
      "POST",
      "/validate/bulk/turbo",
      withKey(key, postJson({ emails: [email] })),
    )
    expect(bulk.body.results[0]!.checks.score).toBe(100)
    for (const theirs of [await validate(other, email), await fast(other, email)])
      expect(theirs.score_breakdown).toEqual(before.score_breakdown)

    await bounce(key, { email, bounce_type: "hard_bounce" })
    const bounced = await validate(key, email)
    expect(bounced).toMatchObject({
      status: "invalid",
      can_send: false,
      score: 10,
      score_breakdown: before.score_breakdown,
    })
  })

  test("never makes a missing address valid", async () => {
    const key = await newKey()
    await post(key, "/received", "email=nobody@mailbox.test&source=imap")
    const again = await post(key, "/received", "email=nobody@mailbox.test&source=imap")
    expect(again.body).toMatchObject({ status: "known" })
    const checks = await validate(key, "nobody@mailbox.test")
    expect(checks).toMatchObject({ status: "invalid", can_send: false, score_breakdown: { received_bonus: 25 } })
    expect(checks.score).toBeLessThanOrEqual(10)
  })

  const batch = (key: TestKey, body: unknown) => call<Body>("POST", "/received/batch", withKey(key, postJson(body)))

  test("is reported as a list of addresses", async () => {
    const key = await newKey()
    const emails = ["user1@d0304.test", "USER1@d0304.test", "user2@d0305.test", "nonsense"]
    const { body } = await batch(key, { emails, source: "inbox" })
    expect(body).toMatchObject({
      status: "recorded",
      processed: 3,
      recorded: 3,
      score_boosts_applied: 2,
      domain_inbox_stats: { "d0304.test": 1, "d0305.test": 1 },
      rejected: [{ index: 3 }],
    })
    expect((await validate(key, "user2@d0305.test")).score_breakdown.received_bonus).toBe(25)
  })

  test("is reported as senders with dates in any format, and the same mail counts once", async () => {
    const key = await newKey()
    const senders = [
      { email: "a@d0306.test", received_at: "2026-11-03T09:15:00Z", subject: "one" },
      { email: "a@d0306.test", received_at: 1_793_697_300, subject: "one" },
      { email: "a@d0306.test", received_at: "Tue, 3 Nov 2026 10:15:00 +0100", subject: "one" },
      { email: "b@d0306.test", received_at: "November 3, 2026 at 9:15 AM" },
      { email: "c@d0306.test", received_at: "the day before my birthday" },
      { email: "d@d0306.test", received_at: "2126-11-03" },
      { email: "e@d0306.test" },
    ]
    const { body } = await batch(key, { senders, source: "gmail" })
    expect(body).toMatchObject({
      processed: 5,
      score_boosts_applied: 3,
      domain_inbox_stats: { "d0306.test": 3 },
      rejected: [{ index: 4 }, { index: 5 }],
    })
    expect((await batch(key, { senders, source: "gmail" })).body).toMatchObject({
      domain_inbox_stats: { "d0306.test": 3 },
    })
  })

  test.each([
    ["neither form", {}],
    ["both forms", { emails: ["a@d0306.test"], senders: [{ email: "a@d0306.test" }] }],
    ["an empty list", { emails: [] }],
    ["numbers", { emails: [1] }],
    ["a date that is an object", { senders: [{ email: "a@d0306.test", received_at: {} }] }],
    ["1,001 addresses", { emails: Array.from({ length: 1_001 }, (_, i) => `u${i}@d0306.test`) }],
  ])("%s is 422", async (_, body) => {
    expect((await batch(await newKey(), body)).status).toBe(422)
  })
})

describe("engagement and reports", () => {
  const none = { samples: 0, correct: 0, incorrect: 0, undecided: 0, decided: 0, accuracy: null }

  test("judge each verdict once, and show no accuracy from a few", async () => {
    const key = await newKey()
    const [right, wrong] = ["user1@d0307.test", "user2@d0307.test"]
    await Promise.all(
      [right, wrong, "nobody@mailbox.test", "anyone@catch-all.test"].map((email) => validate(key, email)),
    )
    await post(key, "/delivered", `email=${right}`)
    await post(key, "/feedback/opened", `email=${right}`)
    await post(key, "/feedback/clicked", `email=${right}`)
    await bounce(key, { email: wrong, bounce_type: "hard_bounce" })
    await bounce(key, { email: "nobody@mailbox.test", bounce_type: "hard_bounce" })
    await bounce(key, { email: "anyone@catch-all.test", bounce_type: "hard_bounce" })
    await post(key, "/delivered", "email=never-verified@d0307.test")
    const stats = {
      ...{ samples: 4, correct: 2, incorrect: 1, undecided: 1, decided: 3, accuracy: null, min_decided: 30 },
      by_status: [
        { status: "valid", ...none, samples: 2, correct: 1, incorrect: 1, decided: 2 },
        { status: "invalid", ...none, samples: 1, correct: 1, decided: 1 },
        { status: "accept_all", ...none, samples: 1, undecided: 1 },
        { status: "unknown", ...none },
      ],
      reports: { correct: 0, incorrect: 0 },
      without_verdict: 1,
    }
    expect(await get(key, "/feedback/accuracy")).toEqual(stats)

    const report = (correct: boolean) =>
      call("POST", "/feedback/report", withKey(key, postJson({ email: right, correct })))
    await report(true)
    await report(false)
    expect(await get(key, "/feedback/accuracy")).toMatchObject({
      ...{ samples: 4, correct: 1, incorrect: 2, undecided: 1 },
      reports: { correct: 1, incorrect: 1 },
    })
    await report(true)
    expect(await get(key, "/feedback/accuracy")).toMatchObject({ samples: 4, correct: 2, incorrect: 1, undecided: 1 })
  })

  test("give an accuracy from 30 decided verdicts on", async () => {
    const key = await newKey()
    const emails = Array.from({ length: 30 }, (_, n) => `user${n}@d0308.test`)
    for (const email of emails) await validate(key, email)
    const senders = emails.map((email) => ({ email }))
    const batch = (some: typeof senders) =>
      call("POST", "/received/batch", withKey(key, postJson({ senders: some, source: "inbox" })))
    expect((await batch(senders.slice(0, 29))).body).toMatchObject({ processed: 29, without_verdict: 0 })
    expect(await get(key, "/feedback/accuracy")).toMatchObject({ decided: 29, accuracy: null })
    await bounce(key, { email: emails[29]!, bounce_type: "hard_bounce" })
    const by_status = expect.arrayContaining([
      expect.objectContaining({ status: "valid", decided: 30, accuracy: 0.9667 }),
    ])
    expect(await get(key, "/feedback/accuracy")).toMatchObject({
      decided: 30,
      correct: 29,
      accuracy: 0.9667,
      by_status,
    })
  })

  const NEVER = "so there was no verdict to judge"
  test.each<[string, (key: TestKey, email: string) => ReturnType<typeof call>, string]>([
    ["/bounce", (key, email) => bounce(key, { email, bounce_type: "hard_bounce" }), "incorrect"],
    ["/bounce soft", (key, email) => bounce(key, { email, bounce_type: "soft_bounce" }), "undecided"],
    ["/delivered", (key, email) => post(key, "/delivered", `email=${email}`), "correct"],
    ["/received", (key, email) => post(key, "/received", `email=${email}`), "correct"],
    ["/feedback/opened", (key, email) => post(key, "/feedback/opened", `email=${email}`), "correct"],
    ["/feedback/clicked", (key, email) => post(key, "/feedback/clicked", `email=${email}`), "correct"],
    [
      "/feedback/report",
      (key, email) => call("POST", "/feedback/report", withKey(key, postJson({ email, correct: false }))),
      "incorrect",
    ],
  ])("%s says which verdict it judged, or that there was none", async (_, send, outcome) => {
    const key = await newKey()
    await validate(key, "user1@d0309.test")
    const judged = { status: "valid", verified_at: expect.any(String), outcome }
    const { body } = await send(key, "user1@d0309.test")
    expect(body).toMatchObject({ status: "recorded", judged, message: expect.not.stringContaining(NEVER) })
    const never = await send(key, `never${key.keyId.toLowerCase().replace(/\W/g, "")}@d0309.test`)
    expect(never.body).toMatchObject({ status: "recorded", judged: null, message: expect.stringContaining(NEVER) })
    expect(await get(key, "/feedback/accuracy")).toMatchObject({ samples: 1, without_verdict: 1 })
  })

  test("require an address and a key", async () => {
    const key = await newKey()
    for (const path of ["/delivered", "/received", "/feedback/opened", "/feedback/clicked"]) {
      expect((await post(key, path, "email=nonsense")).status, path).toBe(400)
      expect((await post(key, path, "")).status, path).toBe(422)
      expect((await call("POST", path, { method: "POST", at: `${path}?email=a@d0307.test` })).status, path).toBe(401)
    }
  })
})
