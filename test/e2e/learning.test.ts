import { beforeAll, describe, expect, test } from "vitest"
import { SANDBOX_ADDRESSES } from "../../scripts/sandbox/addresses.ts"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"
import { untilStored } from "../support/stack/stored.ts"

interface Stats {
  readonly model: { readonly version: number; readonly is_prior: boolean }
  readonly metrics: unknown
  readonly training: { readonly status: string; readonly reason: string | null } | null
}
interface Report {
  readonly benchmark_id: string
  readonly status: string
  readonly total: number
  readonly done: number
  readonly job_id: string | null
  readonly report: {
    readonly correct: number
    readonly accuracy: number
    readonly per_status: { status: string; expected: number; precision: number | null; recall: number | null }[]
    readonly confusion_matrix: Record<string, Record<string, number>>
    readonly timing: { total_ms: number; cached: number; conversations: number }
    readonly differences: Record<string, unknown>[]
  } | null
}
interface Enriched {
  readonly checks: { ml_score: number | null; score: number; score_breakdown: Record<string, number> }
  readonly enrichment?: {
    ml: { is_prior: boolean; adjustment: number; contributions: unknown[] }
    activity_score: number | null
  }
  readonly explanation?: { ledger: { fact: string; points: number; value: string | null }[]; model: unknown }
}

let key: TestKey
beforeAll(async () => {
  key = await newKey()
})

describe("the model's endpoints", () => {
  test.each(["/ml/train", "/ml/rollback", "/catchall-classifier/train"])(
    "POST %s is for the operator only",
    async (path) => {
      expect((await call("POST", path, withKey(key))).status).toBe(403)
      expect((await call("POST", path)).status).toBe(403)
    },
  )

  test.each(["/ml/stats", "/ml/stats/v2", "/catchall-classifier/stats"])("GET %s needs a key", async (path) => {
    expect((await call("GET", path)).status).toBe(401)
    expect((await call("GET", path, asAdmin())).status).toBe(200)
  })

  test("the prior is described as such, with its weights and without accuracy", async () => {
    const { body } = await call<Stats & { weights: { feature: string; weight: number; prior: number }[] }>(
      "GET",
      "/ml/stats/v2",
      withKey(key),
    )
    expect(body).toMatchObject({ model: { version: 0, is_prior: true }, metrics: null, calibration: [], versions: [] })
    expect(body.weights.find(({ feature }) => feature === "refused")).toMatchObject({ weight: -5, prior: -5 })
  })

  test.each([
    ["/ml/train", "/ml/stats"],
    ["/catchall-classifier/train", "/catchall-classifier/stats"],
  ])("%s refuses too few samples, and the statistics report it", async (path, stats) => {
    const { status, body } = await call("POST", path, asAdmin())
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: "refused",
      reason: "too_few_samples",
      min_samples: 1_000,
      progress: 100,
      version: null,
    })
    expect((await call<Stats>("GET", stats, withKey(key))).body).toMatchObject({
      model: { is_prior: true },
      training: { status: "refused", reason: "too_few_samples" },
    })
  })

  test("a few reports of one account train no model, even at the operator's request", async () => {
    const emails = ["erin@facts.test", "alice@facts.test", "alice@mailbox.test"]
    for (const email of emails) await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
    await untilStored(...emails)
    await call("POST", "/received/batch", withKey(key, postJson({ senders: emails.map((email) => ({ email })) })))
    await call("POST", "/ml/train", { ...asAdmin(), at: "/ml/train?min_samples=1" })
    const readStats = async () => (await call<Stats>("GET", "/ml/stats", withKey(key))).body
    await expect.poll(async () => (await readStats()).training?.status).toBe("refused")
    expect(await readStats()).toMatchObject({
      model: { is_prior: true },
      training: { reason: expect.stringMatching(/too_few_accounts|one_outcome_only/), min_samples: 1 },
    })
  })

  test("wrong parameters are 422, an unknown version 404", async () => {
    expect((await call("POST", "/ml/train", { ...asAdmin(), at: "/ml/train?min_samples=0" })).status).toBe(422)
    expect((await call("POST", "/ml/rollback", { ...asAdmin(), at: "/ml/rollback?model=other" })).status).toBe(422)
    expect((await call("POST", "/ml/rollback", { ...asAdmin(), at: "/ml/rollback?version=7" })).status).toBe(404)
    const { body } = await call("POST", "/ml/rollback", { ...asAdmin(), at: "/ml/rollback?version=0" })
    expect(body).toEqual({ model: "deliverability", from_version: 0, to_version: 0 })
  })
})

describe("enrich=true", () => {
  const validate = async (query: string) =>
    (await call<Enriched>("GET", "/validate", withKey(key, { at: `/validate?${query}` }))).body

  test("adds the prediction, adjusts the score by it, and explains it", async () => {
    const plain = await validate("email=anna.schmidt@catch-all.test")
    expect(plain.checks).toMatchObject({ ml_score: null, score_breakdown: { ml_adjustment: 0 } })
    expect(plain.enrichment).toBeUndefined()
    const rich = await validate("email=anna.schmidt@catch-all.test&enrich=true&explain=true")
    expect(rich.checks.ml_score).toBeGreaterThan(0.5)
    expect(rich.enrichment).toMatchObject({
      ml: { version: 0, is_prior: true, probability: rich.checks.ml_score },
      activity_score: expect.any(Number),
    })
    const { score, score_breakdown } = rich.checks
    expect(Object.values(score_breakdown).reduce((sum, points) => sum + points, 0)).toBe(score)
    expect(score - plain.checks.score).toBe(rich.enrichment!.ml.adjustment)
    expect(rich.enrichment!.ml.contributions.length).toBeGreaterThan(1)
    expect(rich.explanation!.model).toEqual(rich.enrichment!.ml)
    expect(rich.explanation!.ledger.find(({ fact }) => fact === "model")).toMatchObject({
      points: rich.enrichment!.ml.adjustment,
    })
  })

  test("gives gibberish at the same domain a lower score, in a body as in a query", async () => {
    const { body: gibberish } = await call<Enriched>(
      "POST",
      "/validate",
      withKey(key, postJson({ email: "xkqzvbtrw@catch-all.test", enrich: true })),
    )
    const name = await validate("email=anna.schmidt@catch-all.test&enrich=true")
    expect(gibberish.checks.ml_score!).toBeLessThan(name.checks.ml_score! - 0.2)
    expect(gibberish.checks.score).toBeLessThan(name.checks.score)
  })

  test("applies an account's reports to that account only", async () => {
    const [mine, other] = [await newKey(), await newKey()]
    const at = "/validate?email=bounced.before@catch-all.test&enrich=true"
    const predictedScore = async (account: TestKey) =>
      (await call<Enriched>("GET", "/validate", withKey(account, { at }))).body.checks.ml_score!
    const before = await predictedScore(other)
    // Other tests store addresses of the domain meanwhile, and its known formats are a feature of the model.
    const isAsBefore = async (account: TestKey) => Math.abs((await predictedScore(account)) - before) < 0.1
    expect(await isAsBefore(mine)).toBe(true)
    await call(
      "POST",
      "/bounce",
      withKey(mine, postJson({ email: "bounced.before@catch-all.test", bounce_type: "hard" })),
    )
    expect(await predictedScore(mine)).toBeLessThan(0.1)
    expect(await isAsBefore(other)).toBe(true)
  })

  test("a malformed address has no prediction", async () => {
    const { checks, enrichment } = await validate("email=nonsense&enrich=true")
    expect(checks.ml_score).toBeNull()
    const null_reasons = { ml: "not_applicable", activity_score: "not_applicable" }
    expect(enrichment).toEqual({ ml: null, activity_score: null, null_reasons })
  })
})

describe("benchmarks", () => {
  const expected = SANDBOX_ADDRESSES.filter(({ later, expect: { status } }) => !later && status !== "unknown")
  const run = (test_emails: unknown, account = key) =>
    call<Report>("POST", "/benchmark/run", withKey(account, postJson({ test_emails })))
  const find = (id: string, account = key) =>
    call<Report>("GET", "/benchmark/report/{benchmark_id}", withKey(account, { at: `/benchmark/report/${id}` }))

  test("every settled sandbox address has its documented verdict, and only its owner can read the report", async () => {
    const list = expected.map(({ address, expect: { status } }) => ({ email: address, expected_status: status }))
    const { status, body } = await run(list.slice(0, 100))
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: "complete", total: Math.min(100, list.length), job_id: null })
    expect(body.report!.differences).toEqual([])
    expect(body.report).toMatchObject({ accuracy: 1 })
    expect(body.report!.timing.conversations).toBeGreaterThan(3)
    expect((await find(body.benchmark_id)).body).toEqual(body)
    expect((await find(body.benchmark_id, await newKey())).status).toBe(404)
    expect((await find("bench_none")).status).toBe(404)
  })

  test("differences include the notes; precision, recall and the confusion matrix are correct", async () => {
    const { body } = await run([
      { email: "alice@mailbox.test", expected_status: "valid" },
      { email: "nobody@mailbox.test", expected_status: "valid", notes: "left in May" },
      { email: "not an address", expected_status: "invalid" },
      { email: "anna.schmidt@catch-all.test", expected_status: "catch_all" },
    ])
    expect(body.report).toMatchObject({
      correct: 3,
      accuracy: 0.75,
      confusion_matrix: { valid: { valid: 1, invalid: 1 }, invalid: { invalid: 1 }, accept_all: { accept_all: 1 } },
      differences: [
        {
          ...{ email: "nobody@mailbox.test", expected_status: "valid", actual_status: "invalid" },
          ...{ sub_status: "mailbox_not_found", notes: "left in May" },
        },
      ],
    })
    const of = (status: string) => body.report!.per_status.find((one) => one.status === status)
    expect(of("valid")).toMatchObject({ expected: 2, precision: 1, recall: 0.5 })
    expect(of("invalid")).toMatchObject({ expected: 1, precision: 0.5, recall: 1 })
  })

  test("more than 100 addresses run as a job, which creates the report at its end", async () => {
    const list = Array.from({ length: 130 }, (_, n) => ({
      email: n % 2 === 0 ? `person${n}@catch-all.test` : "nobody@mailbox.test",
      expected_status: n % 2 === 0 ? "accept_all" : "invalid",
    }))
    const { body } = await run(list)
    expect(body).toMatchObject({ status: "running", total: 130, done: 0, report: null, job_id: expect.any(String) })
    await waitForJobEnd(body.job_id!, { "x-api-key": key.secret })
    const { body: over } = await find(body.benchmark_id)
    expect(over).toMatchObject({ status: "complete", done: 130, report: { correct: 130, accuracy: 1 } })
    expect((await find(body.benchmark_id)).body).toEqual(over)
    const again = await run(list.slice(0, 100))
    expect(again.body.report!.timing).toMatchObject({ cached: 0, conversations: 100 })
    const inJob = await run(list)
    await waitForJobEnd(inJob.body.job_id!, { "x-api-key": key.secret })
    expect((await find(inJob.body.benchmark_id)).body.report!.timing).toMatchObject({ cached: 130, conversations: 0 })
  })

  test("costs as much as the verifications: a free key cannot run a large one", async () => {
    const list = Array.from({ length: 2_000 }, (_, n) => ({ email: `p${n}@catch-all.test`, expected_status: "valid" }))
    expect((await run(list, await newKey("free"))).status).toBe(402)
  })

  test.each([
    ["no field test_emails", {}],
    ["an empty list", { test_emails: [] }],
    ["an unknown status", { test_emails: [{ email: "alice@mailbox.test", expected_status: "perhaps" }] }],
  ])("%s is 422; without a key it is 401", async (_, given) => {
    expect((await call("POST", "/benchmark/run", withKey(key, postJson(given)))).status).toBe(422)
    expect((await call("POST", "/benchmark/run", postJson(given))).status).toBe(401)
  })
})
