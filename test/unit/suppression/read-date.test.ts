import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readDate, readHumanDate } from "../../../src/domain/suppression/read-date.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

const NOW = Date.UTC(2026, 10, 21, 12)
const at = (given: string | number) => {
  const ms = readDate(given, NOW)
  return ms === null ? null : new Date(ms).toISOString()
}

describe("the same time in every format", () => {
  test.each([
    "2026-11-03T09:15:00Z",
    "2026-11-03T09:15:00.000Z",
    "2026-11-03t09:15:00z",
    "2026-11-03 09:15:00",
    "2026-11-03T09:15",
    "2026-11-03T10:15:00+01:00",
    "2026-11-03T10:15:00+0100",
    "2026-11-03T04:15:00-05",
    1_793_697_300,
    1_793_697_300_000,
    "1793697300",
    "1793697300000",
    "Tue, 3 Nov 2026 09:15:00 +0000",
    "Tue, 03 Nov 2026 10:15:00 +0100 (CET)",
    "3 Nov 2026 04:15 EST",
    "Tue Nov 03 2026 10:15:00 GMT+0100 (Central European Standard Time)",
    "November 3, 2026 9:15 AM",
    "Nov 3rd, 2026 at 9:15 am UTC",
    "Tuesday, November 3, 2026 at 09:15:00",
    "3. November 2026 09:15",
    "2026/11/03 09:15",
    "3 November 2026, 9:15 a.m.",
    "Tuesday the 3rd of November 2026 at 9:15",
    "  2026-11-03T09:15:00Z  ",
  ])("%j", (given) => {
    expect(at(given)).toBe("2026-11-03T09:15:00.000Z")
  })
})

describe("other times", () => {
  test.each([
    ["2026-11-03", "2026-11-03T00:00:00.000Z"],
    ["November 2026 3", null],
    ["2026 Nov 3", "2026-11-03T00:00:00.000Z"],
    ["12 am Nov 3 2026", "2026-11-03T00:00:00.000Z"],
    ["12:30 pm Nov 3 2026", "2026-11-03T12:30:00.000Z"],
    ["25/12/2025", "2025-12-25T00:00:00.000Z"],
    ["12/25/2025", "2025-12-25T00:00:00.000Z"],
    ["11/11/2026", "2026-11-11T00:00:00.000Z"],
    ["now", "2026-11-21T12:00:00.000Z"],
    ["today", "2026-11-21T00:00:00.000Z"],
    ["Yesterday", "2026-11-20T00:00:00.000Z"],
    ["3 days ago", "2026-11-18T12:00:00.000Z"],
    ["an hour ago", "2026-11-21T11:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2026-11-03T09:15:00.123456Z", "2026-11-03T09:15:00.123Z"],
    [0, "1970-01-01T00:00:00.000Z"],
    [1_793_697_300.5, "2026-11-03T09:15:00.500Z"],
  ])("%j is %s", (given, expected) => {
    expect(at(given)).toBe(expected)
  })
})

describe("an ambiguous or invalid date is rejected", () => {
  test.each([
    "",
    " ",
    "3/11/2026",
    "03-11-2026",
    "2026-02-30",
    "2026-13-01",
    "2026-00-10",
    "2025-02-29",
    "30 Feb 2026",
    "0 Nov 2026",
    "32 Nov 2026",
    "2026-11-03T24:15:00Z",
    "2026-11-03T09:61:00Z",
    "13:15 PM Nov 3 2026",
    "2026-11-03T09:15:00+15:00",
    "2026-11-03T09:15:00+01:75",
    "Nov 3",
    "November",
    "Tuesday",
    "Movember 3 2026",
    "Nov 3 26",
    "12345",
    "the day before yesterday",
    "2026-11-03T09:15:00Z; DROP TABLE",
    "Nov 3 2026 extra",
    "99999 days ago",
    `${" ".repeat(30)}2026-11-03${"(".repeat(60)}`,
    "1e10",
    "0x10",
    "__proto__",
    "constructor 3 2026",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    1e300,
  ])("%j", (given) => {
    expect(at(given)).toBeNull()
  })
})

describe("properties", () => {
  const moments = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2100, 0) / 1 }).map((ms) => ms - (ms % 1000))

  test("a time printed by programs is parsed exactly", () => {
    fc.assert(
      fc.property(moments, (ms) => {
        const date = new Date(ms)
        for (const text of [date.toISOString(), date.toUTCString(), date.toString(), ms / 1000, ms])
          expect(readDate(text, NOW)).toBe(ms)
      }),
    )
  })

  test("any input quickly gives a time or null", () => {
    const words = fc.constantFrom("nov", "3", "2026", "9:15", "am", "+01:00", "(", ")", "utc", ",", "-", "/", "z", "of")
    const text = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 20 }).map((list) => list.join(" ")),
    )
    fc.assert(
      fc.property(text, (given) => {
        const ms = readDate(given, NOW)
        expect(ms === null || Number.isSafeInteger(ms)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each(["(", "1:", "a ", "+0", "9"])("many repetitions of %j take at most linear time", (piece) => {
    for (const pieces of [16, 1_000_000]) runToTheEnd(() => readDate(piece.repeat(pieces), NOW))
    runToTheEnd(() => readHumanDate(piece.repeat(200_000), NOW))
  })
})
