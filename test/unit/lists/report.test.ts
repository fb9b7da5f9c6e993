import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { STATUSES } from "../../../schema/vocabulary.ts"
import { type MailboxGroup, MailboxGroups } from "../../../src/domain/lists/list-addresses.ts"
import { type ItemGroup, reportOn } from "../../../src/domain/lists/report.ts"

const group = (more: Partial<ItemGroup>): ItemGroup => ({
  status: "valid",
  route: "mx",
  failure: null,
  code: 250,
  enhanced: null,
  isDisposable: false,
  isRole: false,
  isFree: false,
  isSubaddress: false,
  band: 9,
  canSend: true,
  count: 1,
  scoreSum: 93 * (more.count ?? 1),
  ...more,
})
const bad = (count: number) =>
  group({ status: "invalid", code: 550, band: 1, canSend: false, scoreSum: 10 * count, count })

describe("a report", () => {
  test("of an empty list has no findings", () => {
    expect(reportOn([], [])).toMatchObject({
      analyzed: 0,
      health: { score: 0, grade: "F" },
      problems: [],
      recommendations: [],
      bounce: { rate: 0, low: 0, high: 1, decided: 0, expected: 0 },
    })
  })

  test.each([
    [90, "A"],
    [89, "B"],
    [75, "B"],
    [60, "C"],
    [59, "D"],
    [51, "D"],
    [40, "D"],
    [39, "F"],
  ])("an average score of %i has grade %s, as a single address has", (score, grade) => {
    const { health } = reportOn([group({ count: 50, scoreSum: 50 * score }), bad(0)], [])
    expect(health).toEqual({ score, grade })
  })

  test.each([
    [1_000, 0, "low", "0 % of 1,000 addresses with a clear result would bounce."],
    [980, 20, "low", "2 % of 1,000"],
    [960, 40, "moderate", "4 % of 1,000"],
    [900, 100, "high", "10 % of 1,000"],
    [29, 0, "unknown", "Too few to tell"],
    [0, 1, "unknown", "Too few to tell: bounces of 1 address with"],
  ])("%i good and %i bad addresses have the sending risk %s", (good, wrong, level, reason) => {
    const malformed = group({ status: "invalid_syntax", count: 500, scoreSum: 0, band: 0 })
    const { sendingRisk } = reportOn([group({ count: good, scoreSum: 93 * good }), bad(wrong), malformed], [])
    expect(sendingRisk).toEqual({ level, reason: expect.stringContaining(reason) })
  })

  test("projects the bounce rate from decided items, with a Wilson interval", () => {
    const unknown = group({ status: "unknown", code: null, band: 5, count: 100, scoreSum: 5_000 })
    const malformed = group({ status: "invalid_syntax", code: null, route: null, band: 0, count: 40, scoreSum: 0 })
    const { bounce } = reportOn([group({ count: 90 }), bad(10), unknown, malformed], [])
    // Wilson 1927 for 10 of 100: 0.0552 to 0.1744.
    expect(bounce).toMatchObject({ rate: 0.1, decided: 100, expected: 20 })
    expect(bounce.low).toBeCloseTo(0.0552, 3)
    expect(bounce.high).toBeCloseTo(0.1744, 3)
  })

  test.each([
    [{ status: "invalid_syntax", code: null, route: null }, "malformed"],
    [{ status: "invalid", route: "null_mx", code: null }, "domain_takes_no_mail"],
    [{ status: "invalid", route: "no_such_domain", code: null }, "domain_takes_no_mail"],
    [{ status: "invalid", code: 550 }, "mailbox_not_found"],
    [{ status: "accept_all" }, "catch_all"],
    [{ status: "unknown", code: 552 }, "mailbox_full"],
    [{ status: "unknown", code: 450, enhanced: "4.2.2" }, "mailbox_full"],
    [{ status: "unknown", code: 452 }, "temporary_failure"],
    [{ status: "unknown", code: 452, enhanced: "4.5.3" }, "temporary_failure"],
    [{ status: "unknown", code: 552, enhanced: "5.3.4" }, "refused_probe"],
    [{ status: "unknown", code: 451 }, "temporary_failure"],
    [{ status: "unknown", code: 554 }, "refused_probe"],
    [{ status: "unknown", code: null, failure: "timeout" }, "unreachable"],
    [{ isDisposable: true }, "disposable"],
    [{ isRole: true }, "role_account"],
  ] satisfies [Partial<ItemGroup>, string][])("%j is a problem called %s", (traits, problem) => {
    expect(reportOn([group(traits)], []).problems.map((found) => found.problem)).toEqual([problem])
  })

  test("recommends actions for the problems, the most urgent first", () => {
    const groups = [group({ count: 50 }), bad(40), group({ isDisposable: true, count: 10, band: 5 })]
    const actions = reportOn(groups, []).recommendations.map(({ action }) => action)
    expect(actions).toEqual(["do_not_send_yet", "remove_invalid", "remove_disposable", "check_the_source"])
    expect(reportOn(groups, []).recommendations.map(({ affected }) => affected)).toEqual([100, 40, 10, 40])
    expect(reportOn([group({ count: 50 })], []).recommendations).toEqual([])
    expect(reportOn([group({ count: 999 }), bad(1)], []).recommendations).toMatchObject([
      { action: "remove_invalid", affected: 1, message: expect.stringContaining("1 address ") },
    ])
  })

  test("addresses that are removed anyway are not counted in other advice", () => {
    const role = (status: "valid" | "invalid", count: number) =>
      group({ status, isRole: true, isDisposable: true, count })
    const { recommendations } = reportOn([role("valid", 40), role("invalid", 60)], [])
    const affected = Object.fromEntries(recommendations.map((one) => [one.action, one.affected]))
    expect(affected).toMatchObject({ remove_invalid: 60, remove_disposable: 40, set_role_accounts_apart: 40 })
  })

  test("under 30 decided addresses no advice is stronger than that they are too few", () => {
    const actions = (good: number, wrong: number) =>
      reportOn([group({ count: good }), bad(wrong)], []).recommendations.map(({ action }) => action)
    expect(actions(9, 20)).toEqual(["remove_invalid", "too_few_to_tell"])
    expect(actions(10, 20)).toEqual(["do_not_send_yet", "remove_invalid", "check_the_source"])
  })

  test("the advice about accept-all addresses follows from whether they can be sent to", () => {
    const acceptAll = (band: number, canSend: boolean, count: number) =>
      group({ status: "accept_all", band, canSend, count })
    const groups = [group({ count: 50 }), acceptAll(6, true, 2), acceptAll(6, false, 3), acceptAll(3, false, 1)]
    expect(reportOn(groups, []).recommendations).toEqual([
      {
        action: "do_not_send_to_catch_all",
        message: "Do not send to the 4 addresses of accept-all domains that cannot be confirmed.",
        affected: 4,
      },
      {
        action: "send_slowly_to_catch_all",
        message: expect.stringContaining("Send to the 2 addresses of accept-all domains"),
        affected: 2,
      },
    ])
  })

  test("the sendable addresses are those with a decision to send, in any band of scores, less the suppressed", () => {
    const groups = [group({ count: 50 }), group({ band: 6, canSend: false, count: 5 }), group({ band: 5, count: 3 })]
    expect(reportOn(groups, [], 8).sendable).toBe(45)
  })

  test("recommends a new verification for items without a clear result, whether or not they failed", () => {
    const groups = [group({ count: 9 }), group({ status: "unknown", code: null, failure: "timeout" })]
    const [advice] = reportOn(groups, []).recommendations
    expect(advice).toMatchObject({ action: "retry_later", message: expect.stringMatching(/again in a day\.$/) })
  })

  test("groups hosts by operator, the largest first", () => {
    const hosts = [
      { mxHost: "aspmx.l.google.com", status: "valid", count: 3 },
      { mxHost: "alt1.aspmx.l.google.com", status: "invalid", count: 2 },
      { mxHost: "mx.own.example", status: "valid", count: 4 },
      { mxHost: null, status: "invalid", count: 1 },
    ] as const
    const { operators } = reportOn([], hosts)
    expect(operators.map(({ total }) => total)).toEqual([5, 4, 1])
    expect(operators[0]!.counts).toMatchObject({ valid: 3, invalid: 2 })
    expect(operators.slice(1).map(({ operator }) => operator)).toEqual(["other", "none"])
  })

  test("does not depend on how items are grouped, and its sums are consistent", () => {
    const anyGroup = fc
      .record({
        status: fc.constantFrom(...STATUSES),
        band: fc.nat(9),
        count: fc.integer({ min: 1, max: 1_000 }),
        code: fc.constantFrom(null, 250, 451, 550),
        isDisposable: fc.boolean(),
        isRole: fc.boolean(),
      })
      .map((more) => group({ ...more, scoreSum: more.count * more.band * 10 }))
    fc.assert(
      fc.property(fc.array(anyGroup, { minLength: 1, maxLength: 20 }), (groups) => {
        const whole = reportOn(groups, [])
        const halves = groups
          .flatMap((one) => [one, one])
          .map((one) => ({ ...one, count: one.count / 2, scoreSum: one.scoreSum / 2 }))
        expect(reportOn(halves.toReversed(), []).counts).toEqual(whole.counts)
        const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)
        expect(sum(Object.values(whole.counts))).toBe(whole.analyzed)
        expect(sum(whole.bands)).toBe(whole.analyzed)
        expect(whole.bounce.low).toBeLessThanOrEqual(whole.bounce.rate)
        expect(whole.bounce.high).toBeGreaterThanOrEqual(whole.bounce.rate)
        expect(whole.averageScore).toBeLessThanOrEqual(100)
      }),
    )
  })
})

describe("deduplication", () => {
  function groupByMailbox(emails: readonly string[]): MailboxGroup[] {
    const groups = new MailboxGroups()
    for (const email of emails) groups.add(email)
    return groups.list()
  }

  test("retains the first entry of each mailbox, in order, and loses none", () => {
    const groups = groupByMailbox([" b@x.test", "A.b+1@gmail.com", "ab@gmail.com", "B@x.test", "?", "?", "?b@x.test"])
    expect(groups.map(({ representative, members }) => [representative, members.length])).toEqual([
      ["b@x.test", 2],
      ["A.b+1@gmail.com", 2],
      ["?", 2],
      ["?b@x.test", 1],
    ])
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.emailAddress(), fc.string())), (emails) => {
        const found = groupByMailbox(emails)
        expect(found.flatMap(({ members }) => members).toSorted()).toEqual(emails.toSorted())
        const again = groupByMailbox(found.map(({ representative }) => representative))
        expect(again.every(({ members }) => members.length === 1)).toBe(true)
      }),
    )
  })
})
