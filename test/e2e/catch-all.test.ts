import { beforeAll, describe, expect, test } from "vitest"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { getByEmail } from "../support/stack/get-by-email.ts"
import { type Account, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"
import { verifyAndStore } from "../support/stack/stored.ts"

interface Checks {
  readonly email: string
  readonly score: number
  readonly can_send: boolean
  readonly status: string
  readonly score_breakdown: Readonly<Record<string, number>>
}
interface Resolved {
  readonly verdict: string
  readonly probability: number
  readonly method: string
  readonly model_version: number
  readonly evidence: readonly { readonly signal: string; readonly weight: number; readonly scored: boolean }[]
  readonly with_lookups: { readonly verdict: string; readonly probability: number }
  readonly checks: Checks
}

const NAME = "emma.wilson@catch-all.test"
const RANDOM = "xq7zk2vv@catch-all.test"

let account: Account
beforeAll(async () => {
  account = await newAccount()
  await verifyAndStore(account, NAME)
  await verifyAndStore(account, RANDOM)
})

const post = <T>(path: string, body: object) => {
  const init = postJson(body)
  const headers = { ...(init.headers as Record<string, string>), ...account.headers }
  return call<T>("POST", path, { ...init, headers }).then(({ body: found }) => found)
}
const read = async <T>(path: string, email: string, more = "") =>
  (await getByEmail<T>(path, email, { headers: account.headers, more })).body
const resolve = (email: string) => post<Resolved>("/resolve-catchall", { email })
const validate = async (email: string, more = "") => (await read<{ checks: Checks }>("/validate", email, more)).checks

describe("a name and random letters at a catch-all domain", () => {
  test("have another score, another send decision and another word", async () => {
    const [name, random] = [await resolve(NAME), await resolve(RANDOM)]
    expect(name).toMatchObject({ verdict: "likely_deliverable", checks: { status: "accept_all", can_send: true } })
    expect(random).toMatchObject({ verdict: "uncertain", checks: { status: "accept_all", can_send: false } })
    expect(name.probability).toBeGreaterThanOrEqual(0.7)
    expect(random.probability).toBeLessThan(0.7)
    expect(name.checks.score).toBeGreaterThanOrEqual(60)
    expect(random.checks.score).toBeLessThan(60)
  })

  test.each([NAME, RANDOM])(
    "%s: the bonus is in the breakdown and in the ledger, with the probability",
    async (email) => {
      const { probability, checks } = await resolve(email)
      const { explanation } = await read<{
        explanation: { ledger: { fact: string; value: string; points: number; rule: string }[] }
      }>("/validate", email, "&explain=true")
      const bonus = checks.score_breakdown.catch_all_bonus!
      expect(bonus).toBe(probability >= 0.7 ? Math.floor((probability - 0.7 + 1e-9) / 0.02) : bonus)
      expect(bonus >= -20 && bonus <= 14).toBe(true)
      expect(Object.values(checks.score_breakdown).reduce((sum, points) => sum + points, 0)).toBe(checks.score)
      expect(explanation.ledger).toContainEqual(
        expect.objectContaining({
          ...{ fact: "catch_all", points: bonus, rule: "classifier.prior" },
          value: probability.toFixed(3),
        }),
      )
    },
  )

  test("the evidence says which signals are scored: their weights add up to the probability", async () => {
    const { probability, evidence, ...rest } = await resolve(NAME)
    const logOdds = evidence
      .filter(({ scored }) => scored)
      .reduce((sum, { weight }) => sum + weight, Math.log(0.65 / 0.35))
    expect(1 / (1 + Math.exp(-logOdds))).toBeCloseTo(probability, 2)
    expect(rest).toMatchObject({
      method: "prior weights",
      model_version: 0,
      with_lookups: { verdict: expect.any(String) },
    })
    expect(evidence).toContainEqual(expect.objectContaining({ signal: "name_realism", scored: true }))
  })

  test("your own report is only part of the estimate with look-ups, and received mail overrules the classifier", async () => {
    const email = "qzxvkw81@catch-all.test"
    const before = await resolve(email)
    expect(before).toMatchObject({
      verdict: expect.not.stringMatching("likely_deliverable"),
      checks: { can_send: false },
    })
    await call("POST", "/received", { method: "POST", at: `/received?email=${email}`, headers: account.headers })
    const after = await resolve(email)
    expect(after.probability).toBe(before.probability)
    expect(after.with_lookups.probability).toBeGreaterThan(0.9)
    expect(after.evidence).toContainEqual(expect.objectContaining({ signal: "feedback", scored: false }))
    expect(after).toMatchObject({
      verdict: "likely_deliverable",
      checks: { can_send: true, score_breakdown: { catch_all_bonus: 0, received_bonus: 25 } },
    })
  })
})

describe.each([NAME, RANDOM])("%s has one judgment", (email) => {
  let expected: Pick<Checks, "score" | "can_send" | "status">
  beforeAll(async () => {
    const { score, can_send, status } = await validate(email)
    expected = { score, can_send, status }
  })

  test.each<[string, () => Promise<Partial<Checks>>]>([
    ["GET /validate", () => validate(email)],
    ["GET /validate/fast", async () => (await read<{ checks: Checks }>("/validate/fast", email)).checks],
    ["GET /validate/checks", async () => (await read<{ checks: Checks }>("/validate/checks", email)).checks],
    ["GET /validate/with-score", () => read<Checks>("/validate/with-score", email)],
    ["GET /score", () => read<Checks>("/score", email)],
    ["GET /verify/quick", async () => (await read<{ checks: Checks }>("/verify/quick", email)).checks],
    ["POST /resolve-catchall", async () => (await resolve(email)).checks],
    [
      "POST /validate/bulk/turbo",
      async () =>
        (await post<{ results: { checks: Checks }[] }>("/validate/bulk/turbo", { emails: [email] })).results[0]!.checks,
    ],
  ])("%s", async (_, find) => {
    const { score, can_send, status = expected.status } = await find()
    expect({ score, can_send, status }).toEqual(expected)
  })

  test("POST /validate/bulk, which probes again", async () => {
    const { results } = await post<{ results: { status: string; confidence_score: number }[] }>("/validate/bulk", {
      emails: [email],
    })
    expect(results).toEqual([expect.objectContaining({ status: expected.status, confidence_score: expected.score })])
  })

  test("a job, its download and its report", async () => {
    const { job_id } = await post<{ job_id: string }>("/validate/bulk/async", { emails: [email] })
    const job = await waitForJobEnd(job_id, account.headers)
    const { score, can_send, status } = job.results![0]!.checks as unknown as Checks
    expect({ score, can_send, status }).toEqual(expected)
    const at = (path: string) => ({ at: path.replace("{job_id}", job_id), headers: account.headers })
    const { body: report } = await call<{ average_score: number; totals?: object }>(
      "GET",
      "/bulk/{job_id}/report",
      at("/bulk/{job_id}/report"),
    )
    expect(report.average_score).toBe(expected.score)
    expect(JSON.stringify(report)).toContain(`"sendable":${expected.can_send ? 1 : 0}`)
    const { text } = await callUnchecked(`/bulk/download/${job_id}`, { headers: account.headers })
    const [header, row] = text
      .trim()
      .split("\r\n")
      .map((line) => line.split(","))
    const cell = (name: string) => row![header!.indexOf(name)]
    expect([cell("score"), cell("can_send")]).toEqual([String(expected.score), String(expected.can_send)])
  })
})
