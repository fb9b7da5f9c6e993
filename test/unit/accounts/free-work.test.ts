import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { createMemoryRateLimiter, newRateLimiterMemory } from "../../../src/adapters/accounts/isolate-limits.ts"
import { KeyLimiter } from "../../../src/adapters/accounts/limiter-state.ts"
import type { Caller, Member } from "../../../src/domain/accounts/caller.ts"
import { type CreditShare, FREE_WORK, type FreeWorkRow } from "../../../src/domain/accounts/free-work.ts"
import {
  type FixedWork,
  freeShare,
  freeUnits,
  type PlanWork,
  type Rate,
} from "../../../src/domain/accounts/rate-limits.ts"
import { countFreeWork, reserveFreeWork } from "../../../src/services/accounts/count-free-work.ts"
import { testContext } from "../../support/deps/context.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string) => readFileSync(join(root, path), "utf8")

const REQUESTS_A_MINUTE = 10
const ROWS: [string, FreeWorkRow][] = Object.entries(FREE_WORK)
const COUNTED = ROWS.flatMap(([name, row]) =>
  row.place === "request" ? [] : [{ name: name as FixedWork | PlanWork, row }],
)

/** Limiters of both kinds on a manual clock. */
function limitersAt(start: number) {
  const clock = { time: start, now: () => clock.time }
  const limiters = new Map<string, KeyLimiter>()
  const deps = {
    now: clock.now,
    findKey: async () => null,
    reserve: () => Promise.reject(new Error("free work reserves no credits")),
    saveWindow: () => undefined,
    saveDay: () => undefined,
    saveKey: () => undefined,
    wakeAt: () => undefined,
    clear: async () => undefined,
  }
  const ofAction = (name: string) => {
    const limiter = limiters.get(name) ?? new KeyLimiter(deps, { window: [], key: null, day: null })
    limiters.set(name, limiter)
    return { count: async (rate: Rate, n?: number) => limiter.count(rate, n) } as never
  }
  const unused = () => {
    throw new Error("free work has a limiter for each action")
  }
  const ctx = testContext({
    keyLimiters: { ofAction, ofKey: unused, ofSubject: unused },
    memoryRateLimiter: createMemoryRateLimiter(newRateLimiterMemory(), clock),
  })
  return { ctx, clock }
}

function account(accountId: string, perMinute: number | null = REQUESTS_A_MINUTE): Member {
  const allowance = { perMinute, perMonth: null }
  return { kind: "member", accountId, keyId: null, email: null, tier: "free", subject: accountId, allowance }
}

describe.each(COUNTED)("$name", ({ name, row }) => {
  const limit = typeof row.limit === "number" ? row.limit : row.limit.perRequest * REQUESTS_A_MINUTE
  const subject = (id: string) => (typeof row.limit === "number" ? id : account(id)) as never
  const refused = { code: "free_work_exceeded", retryAfterSeconds: row.windowMs / 1000 }

  test("allows the limit, refuses more, and is free again when the window ends", async () => {
    const { ctx, clock } = limitersAt(1_000_000)
    for (let n = 0; n < limit; n++) await countFreeWork(ctx, name, subject("a"))
    await expect(countFreeWork(ctx, name, subject("a"))).rejects.toMatchObject(refused)
    await countFreeWork(ctx, name, subject("b"), limit)
    clock.time += row.windowMs - 1
    await expect(countFreeWork(ctx, name, subject("a"))).rejects.toMatchObject({ code: "free_work_exceeded" })
    clock.time += 1
    await countFreeWork(ctx, name, subject("a"), limit)
  })

  test("counts all units of a call or none", async () => {
    const { ctx } = limitersAt(1_000_000)
    await countFreeWork(ctx, name, subject("a"), limit - 1)
    await expect(countFreeWork(ctx, name, subject("a"), 2)).rejects.toMatchObject(refused)
    expect(await reserveFreeWork(ctx, name, subject("a"), 1)).toBeNull()
    expect(await reserveFreeWork(ctx, name, subject("a"), 1)).toBe(row.windowMs)
  })
})

test.each<{ caller: Caller; of: string }>([
  { caller: { kind: "admin" }, of: "the operator" },
  { caller: account("a", null), of: "a plan without a limit" },
])("the work of $of that a plan would limit is not limited", async ({ caller }) => {
  const { ctx } = limitersAt(1)
  await countFreeWork(ctx, "writes", caller, 1_000_000)
  expect(await reserveFreeWork(ctx, "historyAnswers", caller, 1_000_000)).toBeNull()
})

test.each([
  ["listLines", 0, 10_000],
  ["listLines", 500, 10_000],
  ["listLines", 501, 10_020],
  ["listCharacters", 0, 0],
  ["listCharacters", 2, 6_000],
  ["answerCharacters", 0, 50_000],
  ["answerCharacters", 1, 53_000],
  ["answerCharacters", 10_000, 3_000_000],
  ["answerCharacters", Number.POSITIVE_INFINITY, 3_000_000],
] as const)("%s with %d credits: %d", (work, credits, expected) => {
  expect(freeShare(work, credits)).toBe(expected)
})

test.each([
  ["bounceGroups", 2, 1],
  ["bounceGroups", 20, 1],
  ["bounceGroups", 21, 2],
  ["listText", 0, 0],
  ["listText", 1_000_000, 1],
  ["listText", 1_000_001, 2],
] as const)("%s: %d count as %d", (work, amount, expected) => {
  expect(freeUnits(work, amount)).toBe(expected)
})

test("only the counting services use the limiters of actions", () => {
  const layers = ["src/services", "src/routes", "src/http", "src/consumers", "src/schedules"]
  const files = layers.flatMap((layer) =>
    readdirSync(join(root, layer), { recursive: true, encoding: "utf8" }).map((file) => join(layer, file)),
  )
  const counting = files.filter((file) => file.endsWith(".ts") && /ofAction\(|memoryRateLimiter/.test(read(file)))
  expect(counting).toEqual(["src/services/accounts/count-free-work.ts", "src/services/accounts/identify.ts"])
})

describe("the tables of the documentation have exactly these limits", () => {
  const count = (n: number) => n.toLocaleString("en-US")
  const WINDOWS = new Map([
    [60_000, "a minute"],
    [900_000, "in 15 minutes"],
    [3_600_000, "an hour"],
  ])
  const PLACES = { everywhere: "exactly", isolate: "by each isolate", request: "within the request" } as const

  function share({ perCredit, base, atLeast, atMost }: CreditShare): string {
    const first = base === undefined ? "" : `${count(base)} and `
    const bounds = [
      ...(atLeast === undefined ? [] : [`at least ${count(atLeast)}`]),
      ...(atMost === undefined ? [] : [`at most ${count(atMost)}`]),
    ]
    return [`${first}${count(perCredit)} for each credit`, ...bounds].join(", ")
  }

  function limitOf(row: FreeWorkRow): string {
    if (row.place === "request") return share(row.limit)
    const window = WINDOWS.get(row.windowMs)
    if (typeof row.limit !== "number") return `${count(row.limit.perRequest)} times the plan's requests ${window}`
    return `${count(row.limit)} ${window}${row.unit === undefined ? "" : `, of ${count(row.unit)} each`}`
  }

  /** The rows of the table below this heading line, without the heading. */
  function tableBelow(path: string, heading: string): string[] {
    const lines = read(path).split("\n")
    const first = lines.indexOf(heading) + 2
    const end = lines.findIndex((line, at) => at >= first && !line.startsWith("|"))
    return lines.slice(first, end)
  }

  test("docs/api.md", () => {
    const expected = ROWS.map(([, row]) => `| ${row.work} | ${limitOf(row)} | ${row.countedFor} |`)
    expect(tableBelow("docs/api.md", "| Free work | Limit | For each |")).toEqual(expected)
  })

  test("docs/decisions/limits.md", () => {
    const expected = ROWS.map(
      ([name, row]) => `| \`${name}\` | ${limitOf(row)} | ${row.countedFor} | ${PLACES[row.place]} | ${row.reason} |`,
    )
    expect(tableBelow("docs/decisions/limits.md", "| Row | Limit | For each | Counted | Reason |")).toEqual(expected)
  })
})
