import type { DatabaseCheck } from "../../adapters/admin/installation-state.ts"
import type { Context } from "../../context.ts"
import { type DatabaseProblem, storageStateOf } from "../../domain/admin/installation.ts"
import { NODE_STATES, type NodeState } from "../../domain/fleet/nodes.ts"
import { rootCause, TokenRefused } from "../../errors.ts"
import { checkStaleNodes, isOfOperator } from "../fleet/check-nodes.ts"
import { recognize } from "./own-database.ts"

/** Checks the service's dependencies. Never throws: an outage is part of the result. */
export async function checkHealth(ctx: Context) {
  const [database, space] = await Promise.all([checkDatabase(ctx), ctx.disk.space()])
  await checkStaleNodes(ctx, (await ctx.fleet.all()).filter(isOfOperator))
  const shared = (await ctx.fleet.all()).filter(isOfOperator)
  const counts = NODE_STATES.map((word) => [word, shared.filter(({ state }) => state === word).length] as const)
  const fleet = Object.fromEntries(counts) as Record<NodeState, number>
  return {
    database,
    storage: database.problem === "full" ? "full" : space && storageStateOf(space),
    probeNodes: fleet.healthy + fleet.degraded,
    fleet,
    time: ctx.clock.now(),
  }
}

/** An isolate tests its database at most once in this time, however often it is called. */
const CHECK_EVERY_MS = 5_000
/** The same after a failed test, so that the end of a problem is reported soon. */
const CHECK_PROBLEM_EVERY_MS = 2_000
/** All isolates together write at most one heartbeat in this time: 17,280 rows a day at most. */
const BEAT_EVERY_MS = 5_000
/** A test takes at most two round trips of three seconds. */
const CHECKING_MS = 7_000

/** Tests whether the database answers, has this version's tables, is this installation's, and accepts writes. Never throws. */
export async function checkDatabase(ctx: Context): Promise<DatabaseCheck> {
  const { databaseMemory: memory, clock, log } = ctx
  const now = clock.now()
  const isOther = now < memory.checkingUntil
  const lasts = memory.check?.problem ? CHECK_PROBLEM_EVERY_MS : CHECK_EVERY_MS
  if (memory.check && (isOther || now - memory.checkedAt < lasts)) return memory.check
  // Of the first concurrent callers one writes, and all read.
  if (isOther) return examineDatabase(ctx, { mayWrite: false })
  memory.checkingUntil = now + CHECKING_MS
  try {
    const check = await examineDatabase(ctx, { mayWrite: true })
    const { problem, explanation } = check
    if (problem) log("database_problem", { problem, explanation })
    memory.check = check
    memory.checkedAt = clock.now()
    return check
  } finally {
    memory.checkingUntil = 0
  }
}

/** The same without the memory of earlier tests. */
async function examineDatabase(ctx: Context, { mayWrite }: { mayWrite: boolean }): Promise<DatabaseCheck> {
  const startedAt = ctx.clock.now()
  const result = (problem: DatabaseProblem | null, explanation: string | null) => {
    return { problem, explanation, ms: readAt - startedAt }
  }
  let readAt = startedAt
  try {
    const row = await ctx.store.installation.read()
    readAt = ctx.clock.now()
    if (!row) return result("schema_old", "the database lacks a migration of this version: run `npm run migrate`")
    if ((await recognize(ctx, row)) === "foreign") return result("foreign", ctx.databaseMemory.explanation)
    const isRecent = row.heartbeatAgeMs >= 0 && row.heartbeatAgeMs < BEAT_EVERY_MS
    const failure = mayWrite && !isRecent ? await failureOf(ctx.store.installation.beat()) : null
    if (failure === null) return result(null, null)
    const problem = (failure as { code?: unknown }).code === "SQLITE_FULL" ? "full" : "read_only"
    return result(problem, `the database answers but accepts no writes: ${failure.message}`)
  } catch (error) {
    readAt = ctx.clock.now()
    const cause = rootCause(error)
    return result(cause instanceof TokenRefused ? "token_refused" : "silent", cause.message)
  }
}

async function failureOf(write: Promise<unknown>): Promise<Error | null> {
  return write.then(
    () => null,
    (error: unknown) => rootCause(error),
  )
}
