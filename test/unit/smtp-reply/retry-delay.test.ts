import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { classifyLine } from "../../../scripts/bench/verdicts/labelled-replies.ts"
import { readRetryDelay } from "../../../src/domain/smtp-reply/retry-delay.ts"

describe("retry delay", () => {
  test.each([
    ["450 4.2.0 <t@example.com>: Recipient address rejected: Greylisted for 5 minutes", 300],
    ["451 Greylisted, please try again in 300 seconds", 300],
    ["451 4.7.1 Greylisting in action, please come back in 00:04:32", 272],
    ["451 4.7.1 Greylisting in action, please come back in 1:05:00", 3_900],
    ["451 greylisted, try again in 05:30", 330],
    ["450 4.7.1 Greylisted, try again in 4m30s", 270],
    ["450 4.7.1 Greylisted, try again in 2 days", 172_800],
    ["451 Greylisted: try again in 5 minutes and 30 seconds", 330],
    ["450 greylisted; retry in 1 hour, 5 min", 3_900],
    ["451 greylisted, 600 s", 600],
    ["450 4.7.1 greylist: please retry after 120", 120],
    ["450 4.2.0 Greylisted, see http://postgrey.example.org/help/example.com.html?delay=300 minutes", null],
    ["451 greylisted: bitte in 10 Minuten erneut versuchen", 600],
    ["451 greylisting: intentelo de nuevo en 15 minutos", 900],
    ["451 greylisting: reessayez dans 3 minutes", 180],
    ["451 greylisting: повторите через 7 минут", 420],
    ["451 4.7.1 Try again in 2 hours", 7_200],
    ["450 4.7.1 Greylisted (see RFC 6647), try again later", null],
    ["421 4.7.0 Too many connections, retry in 90 seconds", 90],
    ["550 5.1.1 User unknown, try again in 5 minutes", null],
  ])("%s", (line, seconds) => {
    expect(classifyLine(line).retryAfterSeconds).toBe(seconds)
  })

  test("is never zero and never more than a week", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom("s", "minutes", "hours", "days", ""),
        fc.boolean(),
        (amount, unit, loose) => {
          const seconds = readRetryDelay(`greylisted, try again in ${amount} ${unit}`, loose)
          expect(seconds === null || (seconds > 0 && seconds <= 604_800)).toBe(true)
        },
      ),
    )
  })
})
