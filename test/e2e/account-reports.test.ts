import { beforeAll, describe, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { emailQuery } from "../support/stack/get-by-email.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"
import { untilStored } from "../support/stack/stored.ts"

type Body = Record<string, unknown>
interface Ledger {
  readonly explanation: { readonly ledger: readonly { readonly fact: string; readonly points: number }[] }
  readonly confidence_score: number
}

const get = async <T = Body>(key: TestKey, path: string, email: string, more = "") =>
  (await call<T>("GET", path, withKey(key, { at: `${path}?${emailQuery(email, more)}` }))).body
const post = async <T = Body>(key: TestKey, path: string, body: unknown) =>
  (await call<T>("POST", path, withKey(key, postJson(body)))).body
const bounce = (key: TestKey, email: string, more: Body = {}) =>
  post(key, "/bounce", { email, bounce_type: "hard_bounce", bounce_code: "550 5.1.1", ...more })
const report = (key: TestKey, path: string, email: string) =>
  call("POST", path, withKey(key, { method: "POST", at: `${path}?${emailQuery(email)}` }))
const verified = async (key: TestKey, email: string) => {
  await get(key, "/validate", email)
  await untilStored(email)
}
async function jobOf(key: TestKey, email: string): Promise<string> {
  const { job_id } = await post<{ job_id: string }>(key, "/validate/bulk/async", { emails: [email] })
  await waitForJobEnd(job_id, withKey(key).headers as Record<string, string>)
  return job_id
}
const download = async (key: TestKey, jobId: string, filter: string) => {
  const at = `/bulk/download/${jobId}?filter=${filter}`
  const { text } = await callUnchecked(at, withKey(key))
  return text.trim().split("\n").slice(1)
}

describe("an address that bounced as missing", () => {
  const email = "user1@d0951.test"
  const INVALID = { status: "invalid", deliverable: false, can_send: false, score: 10, grade: "F" }
  let own: TestKey
  let other: TestKey
  let jobId = ""

  beforeAll(async () => {
    own = await newKey()
    other = await newKey()
    await verified(own, email)
    jobId = await jobOf(own, email)
    await bounce(own, email)
  })

  type Row = [string, (key: TestKey) => Promise<unknown>, object, object]
  const rows: Row[] = [
    [
      "GET /validate",
      (key) => get(key, "/validate", email),
      {
        status: "invalid",
        sub_status: "mailbox_not_found",
        deliverability: "undeliverable",
        confidence_score: 10,
        deliverability_score: { can_send: false, recommendation: "do_not_send", primary_risk: "hard_bounce" },
        checks: { ...INVALID, smtp_status: "accepted" },
      },
      { status: "valid", deliverability: "deliverable", deliverability_score: { can_send: true, primary_risk: null } },
    ],
    [
      "GET /validate?suppression=false",
      (key) => get(key, "/validate", email, "&suppression=false"),
      { status: "invalid", deliverability_score: { can_send: false } },
      { status: "valid" },
    ],
    [
      "POST /validate",
      (key) => post(key, "/validate", { email }),
      { status: "invalid", checks: INVALID },
      { status: "valid" },
    ],
    [
      "GET /validate/checks",
      (key) => get(key, "/validate/checks", email),
      { checks: INVALID, summary: { status: "invalid", can_send: false, primary_risk: "hard_bounce" } },
      { checks: { status: "valid" }, summary: { primary_risk: null } },
    ],
    [
      "GET /validate/checks?view=normalized",
      (key) => get(key, "/validate/checks", email, "&view=normalized"),
      { checks: { finding: "hard_bounce", sub_status: "mailbox_not_found", account_report: "hard_bounce" } },
      { checks: { finding: "none", account_report: "none" } },
    ],
    [
      "GET /validate/fast",
      (key) => get(key, "/validate/fast", email),
      { checks: INVALID },
      { checks: { status: "valid", can_send: true, deliverable: true } },
    ],
    [
      "GET /validate/with-score",
      (key) => get(key, "/validate/with-score", email),
      { score: 10, can_send: false, checks: INVALID },
      { can_send: true },
    ],
    ["GET /score", (key) => get(key, "/score", email), { status: "invalid", score: 10 }, { status: "valid" }],
    [
      "GET /verify/quick",
      (key) => get(key, "/verify/quick", email),
      { status: "invalid", checks: INVALID },
      { status: "valid" },
    ],
    [
      "GET /verify/status/{verification_id}",
      async (key) => {
        const { status_url } = await get<{ status_url: string }>(key, "/verify/quick", email)
        return (await call("GET", "/verify/status/{verification_id}", withKey(key, { at: status_url }))).body
      },
      { status: "invalid", result: { status: "invalid", sub_status: "mailbox_not_found" } },
      { status: "valid" },
    ],
    [
      "POST /validate/bulk",
      (key) => post(key, "/validate/bulk", { emails: [email] }),
      { summary: { invalid: 1 }, results: [{ status: "invalid", sub_status: "mailbox_not_found" }] },
      { summary: { valid: 1 }, results: [{ status: "valid" }] },
    ],
    [
      "POST /validate/bulk/turbo",
      (key) => post(key, "/validate/bulk/turbo", { emails: [email] }),
      { results: [{ checks: INVALID }] },
      { results: [{ checks: { status: "valid", can_send: true } }] },
    ],
  ]

  test.each(rows)("%s is invalid for the account, and unchanged for another", async (_, ask, mine, theirs) => {
    expect(await ask(own)).toMatchObject(mine)
    expect(await ask(other)).toMatchObject(theirs)
  })

  test("GET /jobs/{job_id}: rows have the account's judgment, counters the stored status", async () => {
    const { body } = await call("GET", "/jobs/{job_id}", withKey(own, { at: `/jobs/${jobId}` }))
    expect(body).toMatchObject({ summary: { valid: 1, invalid: 0 }, results: [{ checks: INVALID }] })
  })

  test.each([
    ["all", 1],
    ["valid", 0],
    ["invalid", 1],
    ["accept_all", 0],
  ])("GET /bulk/download/{job_id}?filter=%s has %i rows", async (filter, count) => {
    const lines = await download(own, jobId, filter)
    expect(lines).toHaveLength(count)
    for (const line of lines) expect(line).toMatch(/^user1@d0951\.test,invalid,mailbox_not_found,10,F,false,false,/)
  })

  test("GET /bulk/{job_id}/report: it is not sendable", async () => {
    const { body } = await call("GET", "/bulk/{job_id}/report", withKey(own, { at: `/bulk/${jobId}/report` }))
    expect(body).toMatchObject({ composition: { sendable: 0 } })
  })

  test("GET /me/verification/{verification_id} has the checks of the answer", async () => {
    await get(own, "/validate", email)
    await expect
      .poll(async () => {
        const { body } = await call<{ verifications: { id: number; status: string }[] }>(
          "GET",
          "/me/recent-verifications",
          withKey(own),
        )
        const { id, status } = body.verifications[0]!
        const at = `/me/verification/${id}`
        const one = await call<{ checks: Body }>("GET", "/me/verification/{verification_id}", withKey(own, { at }))
        return [status, one.body.checks.status, one.body.checks.score]
      })
      .toEqual(["invalid", "invalid", 10])
  })

  test("GET /validate?explain=true: the ledger has the bounce, and its points add up", async () => {
    const { explanation, confidence_score } = await get<Ledger>(own, "/validate", email, "&explain=true")
    expect(explanation.ledger).toContainEqual(expect.objectContaining({ phase: "verdict", fact: "bounce_reported" }))
    expect(explanation.ledger.reduce((sum, { points }) => sum + points, 0)).toBe(confidence_score)
    const theirs = await get<Ledger>(other, "/validate", email, "&explain=true")
    expect(theirs.explanation.ledger.some(({ fact }) => fact === "bounce_reported")).toBe(false)
  })
})

describe("what a bounce says, and what comes after it", () => {
  type Step = (key: TestKey, email: string) => Promise<unknown>
  const remove: Step = (key, email) =>
    call("DELETE", "/suppression/{email}", withKey(key, { at: `/suppression/${encodeURIComponent(email)}` }))
  const INVALID = ["invalid", false]
  const VALID = ["valid", true]

  test.each<[string, Step[], unknown[]]>([
    ["550 5.1.1", [bounce], INVALID],
    ["with a bare code", [(key, email) => bounce(key, email, { bounce_code: "550" })], INVALID],
    ["without a code", [(key, email) => bounce(key, email, { bounce_code: null })], INVALID],
    ["550 5.2.1, disabled", [(key, email) => bounce(key, email, { bounce_code: "550 5.2.1" })], INVALID],
    ["of policy", [(key, email) => bounce(key, email, { bounce_code: "550 5.7.1" })], ["valid", false]],
    [
      "of a full mailbox, by its message",
      [(key, email) => bounce(key, email, { bounce_code: null, bounce_msg: "552 5.2.2 mailbox full" })],
      ["valid", false],
    ],
    ["soft", [(key, email) => bounce(key, email, { bounce_type: "soft_bounce" })], VALID],
    [
      "and mail received later, still suppressed",
      [bounce, (key, email) => report(key, "/received", email)],
      ["valid", false],
    ],
    [
      "and a later delivery, still suppressed",
      [bounce, (key, email) => report(key, "/delivered", email)],
      ["valid", false],
    ],
    [
      "and mail received earlier",
      [
        bounce,
        (key, email) => post(key, "/received/batch", { senders: [{ email, received_at: "2026-01-02T00:00:00Z" }] }),
      ],
      INVALID,
    ],
    ["and the removal of the suppression", [bounce, remove], VALID],
    ["and the removal, and another bounce", [bounce, remove, bounce], INVALID],
  ])("%s", async (_, steps, expected) => {
    const key = await newKey()
    const email = "user2@d0951.test"
    await verified(key, email)
    for (const step of steps) await step(key, email)
    const full = await get<{ status: string; checks: Body }>(key, "/validate", email)
    const fast = await get<{ checks: Body }>(key, "/validate/fast", email)
    expect([full.status, full.checks.can_send]).toEqual(expected)
    expect([fast.checks.status, fast.checks.can_send]).toEqual(expected)
  })
})

test("a complaint by POST /bounce suppresses nothing, and is the risk that forbids sending", async () => {
  const [key, other] = [await newKey(), await newKey()]
  const email = "user3@d0951.test"
  await verified(key, email)
  await bounce(key, email, { bounce_type: "spam_complaint" })
  const RISK = { can_send: false, recommendation: "do_not_send", primary_risk: "spam_complaint" }
  const full = await get<Ledger>(key, "/validate", email, "&explain=true")
  expect(full).toMatchObject({ status: "valid", deliverability_score: RISK })
  expect(full.explanation.ledger.map(({ fact }) => fact)).toContain("complaint_reported")
  expect(await get(key, "/validate/fast", email)).toMatchObject({ checks: { status: "valid", can_send: false } })
  expect(await post(key, "/validate/bulk/turbo", { emails: [email] })).toMatchObject({
    results: [{ checks: { status: "valid", can_send: false } }],
  })
  expect(await post(key, "/validate/bulk", { emails: [email], check_suppression: true })).toMatchObject({
    results: [{ status: "valid", is_suppressed: false }],
  })
  expect(await get(key, "/suppression/check", email)).toMatchObject({ is_suppressed: false })
  expect(await get(other, "/validate", email)).toMatchObject({
    deliverability_score: { can_send: true, recommendation: "send", primary_risk: null },
  })
})

test("mail received from a catch-all address makes it deliverable, for that account", async () => {
  const [key, other] = [await newKey(), await newKey()]
  const email = "received-from@catch-all.test"
  await verified(key, email)
  await report(key, "/received", email)
  expect(await get(key, "/validate", email)).toMatchObject({
    status: "accept_all",
    deliverability: "deliverable",
    confidence_score: 100,
    deliverability_score: { can_send: true, recommendation: "send", primary_risk: null },
  })
  expect(await get(key, "/validate/checks", email)).toMatchObject({ summary: { primary_risk: null } })
  expect(await get(other, "/validate", email)).toMatchObject({
    deliverability: "risky",
    deliverability_score: { primary_risk: "catch_all" },
  })
})

test("an unknown result of a list is free, also when the account reported a bounce", async () => {
  const key = await newKey()
  const email = "alice@client-refused.test"
  await bounce(key, email)
  const before = await call<{ credits_used: number }>("GET", "/usage", withKey(key))
  expect(await post(key, "/validate/bulk", { emails: [email] })).toMatchObject({ results: [{ status: "invalid" }] })
  const after = await call<{ credits_used: number }>("GET", "/usage", withKey(key))
  expect([after.status, after.body.credits_used]).toEqual([200, before.body.credits_used])
})
