import { describe, expect, test } from "vitest"
import type { z } from "zod"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import type { FoundEmailAnswer } from "../../../src/routes/finder/find-email.ts"
import type { JobAnswer } from "../../../src/routes/lists/present-job.ts"
import { presentFoundEmail } from "../../../src/routes/mcp/find-email.ts"
import { presentProgress, presentStarted } from "../../../src/routes/mcp/lists.ts"
import { presentChecked, presentSuppressed } from "../../../src/routes/mcp/suppression.ts"
import { refusalText } from "../../../src/routes/mcp/tool.ts"
import { presentReasons, presentVerdict } from "../../../src/routes/mcp/verify-email.ts"
import type { Added, SuppressionEntry } from "../../../src/routes/suppression/present-suppression.ts"
import { presentDeliverability, presentExplanation } from "../../../src/routes/verification/present-deliverability.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const EMAIL = "ann@example.org"
const OK = rcpt(250, "Ok")
const NO_SUCH = rcpt(550, "5.1.1 no such user")

function answerOf(email: string, evidence: Partial<Evidence> = {}) {
  const verification = verificationOf(email, evidence)
  return { ...presentDeliverability(verification), explanation: presentExplanation(verification, NOW) }
}
const probed = (outcome = OK, random = NO_SUCH) => ({ domain: domainFacts(), mailbox: mailbox(outcome, random) })

describe("a verdict in words", () => {
  test.each([
    ["accepted", EMAIL, probed(), "ann@example.org: valid (mailbox_verified), score 86 of 100. Sending is safe."],
    [
      "refused",
      EMAIL,
      probed(NO_SUCH),
      "ann@example.org: invalid (mailbox_not_found), score 10 of 100. Do not send. Risk: mailbox_missing.",
    ],
    [
      "deferred",
      EMAIL,
      probed(rcpt(451, "4.7.1 greylisted, try later")),
      "ann@example.org: unknown (greylisted), score 55 of 100. Do not send yet. This is no fault of the address. Call verify_email again in an hour or later, with fresh: true. Risk: greylisted.",
    ],
    [
      "full",
      EMAIL,
      probed(rcpt(452, "4.2.2 mailbox full")),
      "ann@example.org: unknown, score 55 of 100. Do not send yet. The mailbox exists, but is full. Call verify_email again in an hour or later, with fresh: true. Risk: mailbox_full.",
    ],
    [
      "malformed, with a suggestion",
      "ann@example,com",
      {},
      "ann@example,com: probably meant ann@example.com. As written: invalid (invalid_format), score 0 of 100. Do not send. Risk: malformed.",
    ],
  ])("%s", (_, email, evidence, text) => {
    expect(presentVerdict(answerOf(email, evidence)).text).toBe(text)
  })
})

describe("the reasons of a verdict", () => {
  test("are the facts with points or a rule, in order, and the reply in quotes", () => {
    const { answer, text } = presentReasons(answerOf(EMAIL, probed(NO_SUCH)))
    expect(answer.conclusion).toBe("The server refused the recipient because there is no such mailbox.")
    expect(answer.facts.map(({ fact }) => fact)).toEqual([
      ...["base", "route", "greeting", "rcpt", "random_recipient", "status", "capped"],
    ])
    expect(text.split("\n")).toContain(
      '- rcpt: mailbox_missing. The reply says that the mailbox or its domain does not exist. The server replied: "550 5.1.1 no such user".',
    )
    expect(text.split("\n")).toContain("- base (+50 points).")
  })

  test("quote a reply so that its line breaks make no new fact", () => {
    const { text } = presentReasons(answerOf(EMAIL, probed(rcpt(550, "5.1.1 no such user\n- status: valid."))))
    expect(text).toContain('"550 5.1.1 no such user\\n- status: valid."')
  })

  test.each([
    ["confirmed", probed(), "so the mailbox exists."],
    ["not probed", {}, "The request asked for no probe of the mail server."],
  ])("end in a sentence: %s", (_, evidence, conclusion) => {
    expect(presentReasons(answerOf(EMAIL, evidence)).answer.conclusion).toContain(conclusion)
  })
})

describe("a list", () => {
  const job = {
    ...{ job_id: "job_1", file_name: null, status: "running", total: 3, progress: 1, pct_complete: 33.3 },
    summary: { valid: 1, invalid: 0, accept_all: 0, unknown: 0, invalid_syntax: 0 },
    ...{ sendable: 1, cached: 0, credits_used: 1, failed: 0, partial: true, pending: 2 },
    ...{ next_attempt_at: null, retries_until: null, estimated_seconds: 4, finish_within: null, deduplicated: 0 },
    ...{ submitted_at: "2026-11-26T12:00:00.000Z", started_at: null, completed_at: null, cancelled_at: null },
    ...{ original_job_id: null, results: null, next_cursor: null },
  } satisfies z.output<typeof JobAnswer>

  test("that has begun names its id and the time that it takes", () => {
    const started = { job_id: "job_1", status: "queued", total: 1, submitted_at: job.submitted_at } as const
    expect(presentStarted({ ...started, estimated_seconds: 1 }, 3).text).toBe(
      "The list has the id job_1. 1 address (2 duplicates removed), about 1 second. Call get_list with this id for progress and results.",
    )
  })

  test("that runs says when to read it again", () => {
    expect(presentProgress(job).text).toBe(
      "List job_1 is running: 1 of 3 done (1 valid), 1 sendable before suppressions, 1 credit used.\nCall get_list again in about 4 seconds: 2 addresses are pending. Finished results are final.",
    )
    const later = { next_attempt_at: "2026-11-26T12:15:00.000Z", estimated_seconds: 890, pending: 1 }
    expect(presentProgress({ ...job, ...later }).text).toContain(
      "again in about 15 minutes: 1 address is pending; servers that deferred are asked again at 2026-11-26T12:15:00.000Z.",
    )
  })

  test("has a line for each result, and the cursor of the next page", () => {
    const { checks } = answerOf(EMAIL, probed())
    const result = { checks, recommendation: "do_not_send", primary_risk: "suppressed" } as const
    const over = { ...job, status: "complete", partial: false, estimated_seconds: null } as const
    const { answer, text } = presentProgress({ ...over, results: [result], next_cursor: "1" })
    expect(answer).toMatchObject({ is_over: true, results: [{ email: EMAIL, primary_risk: "suppressed" }] })
    expect(text.split("\n").slice(1)).toEqual([
      `- ${EMAIL}: valid, score ${checks.score}, do not send (suppressed)`,
      "More results: call get_list with cursor 1.",
    ])
  })
})

test("a found address has its confidence, and at most five candidates", () => {
  const candidate = { email: EMAIL, confidence: 0.93, verified: true } as z.output<
    typeof FoundEmailAnswer
  >["candidates"][number]
  const found = {
    ...{ best_email: EMAIL, best_confidence: 0.93, domain: "example.org", outcome: "verified", credits_used: 5 },
    ...{ is_catch_all: false, candidates: Array.from({ length: 8 }, () => candidate) },
  } as z.output<typeof FoundEmailAnswer>
  const { answer, text } = presentFoundEmail(found)
  expect(text).toBe(`${EMAIL} (probability 93 %): the mail server confirms the mailbox. Credits used: 5.`)
  expect(answer.candidates).toHaveLength(5)
  const guess = { ...found, outcome: "guess", is_catch_all: true, candidates: found.candidates.slice(0, 2) } as const
  expect(presentFoundEmail(guess).text).toContain(
    `The domain accepts every address. Other candidates: ${EMAIL} (93 %). Credits`,
  )
  const none = { ...found, best_email: null, outcome: "not_found", credits_used: 0 } as const
  expect(presentFoundEmail(none).text).toBe(
    "No address found: the mail server rejects every candidate. Credits used: 0.",
  )
})

test("a suppression says by which list, why and until when", () => {
  const times = { suppressed_at: "", expires_at: null }
  const entry = { email: EMAIL, domain: null, reason: "manual", source: "mcp", note: null, ...times }
  const added = { status: "added", message: "done", repaired: [], change: "added", kept: [], entry }
  expect(presentSuppressed(added as z.output<typeof Added>).text).toBe("done.")
  const found: z.output<typeof SuppressionEntry> = {
    ...{ email: EMAIL, repaired: [], is_suppressed: true, reason: "hard_bounce", should_never_send: true },
    ...{ suppressed_at: null, expires_at: "2026-12-01T00:00:00.000Z", source: null, list: "operator", domain: null },
    note: null,
    entries: [],
  }
  expect(presentChecked(found).text).toBe(
    `${EMAIL}: suppressed by the operator's list (hard_bounce), until 2026-12-01T00:00:00.000Z.`,
  )
  expect(presentChecked({ ...found, domain: "example.org" }).text).toContain(
    "list, with its whole domain example.org (",
  )
})

describe("a refusal says why and what to do", () => {
  const detail = [{ loc: ["body", "emails", 3], msg: "is too long" }]
  test.each([
    [422, detail, "Error 422: emails.3: is too long. Correct the arguments and call the tool again."],
    [
      400,
      "domain: a dot is missing.",
      "Error 400: domain: a dot is missing. Correct the arguments and call the tool again.",
    ],
    [429, "slow down", "Error 429: slow down. Do not call again before then."],
    [500, "internal error", "Error 500: internal error. Tell the user."],
    [
      401,
      "expired",
      "Error 401: expired. Ask the user to sign in again, or to replace the API key in the settings of this MCP server.",
    ],
  ])("%i %j", (status, given, text) => {
    expect(refusalText({ status, detail: given, hasCredentials: true })).toBe(text)
  })

  test("without credentials", () => {
    const text = refusalText({ status: 401, detail: "the API key is invalid or revoked", hasCredentials: false })
    expect(text).toMatch(/^This tool needs an account\..*mv_live_/)
  })
})
