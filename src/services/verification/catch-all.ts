import { withDeadline } from "../../concurrency/deadlines.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { addressHashes, breachHash, cacheKey, patternOf } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { type Estimate, estimateMailbox } from "../../domain/learning/catch-all.ts"
import { type AddressFindings, findingSignals } from "../../domain/learning/catch-all-signals.ts"
import { neighborHistory } from "../../domain/learning/samples.ts"
import { mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import type { DirectoryAnswer } from "../../domain/verification/directory.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { directoryFor } from "./directory.ts"

interface ResolveInput {
  readonly address: ValidAddress
  /** The verification from SMTP, lists and domain facts. */
  readonly verification: Verification
  /** Only an account has reports. Only the operator, and accounts as the operator allows, learn from a directory. */
  readonly caller: Caller
  /** Unix ms. A directory without an answer by then is ignored. */
  readonly deadlineAt: number
}

export interface CatchAllResolution {
  /** By the evidence and the address alone, as every endpoint judges the address. */
  readonly byEvidence: Estimate
  /** The same with what was looked up in addition. */
  readonly withFindings: Estimate
}

const MAX_NEIGHBORS = 200

/** Estimates how likely a mailbox at a catch-all domain exists, without and with what only this verb looks up. */
export async function resolveCatchAll(ctx: Context, input: ResolveInput): Promise<CatchAllResolution> {
  const { address, verification } = input
  const [found, around] = await Promise.all([
    lookUp(ctx, input),
    ctx.store.observations.neighborhoods([address.domain]),
  ])
  const history = {
    arrived: found.received,
    bounced: found.bounced,
    reported: found.reported,
    ...neighborHistory(around.get(address.domain), { pattern: patternOf(address.local), own: "known" }),
  }
  const signals = findingSignals(found, address)
  return {
    byEvidence: estimateMailbox(verification)!,
    withFindings: estimateMailbox(verification, { signals, history })!,
  }
}

async function lookUp(
  ctx: Context,
  { address, verification, caller, deadlineAt }: ResolveInput,
): Promise<AddressFindings> {
  const accountId = accountOf(caller)
  const [neighbors, reported, directory, breaches] = await Promise.all([
    findNeighbors(ctx, address, accountId),
    accountId === null ? null : findReported(ctx, address, accountId),
    withDeadline(ctx.clock, queryDirectory(ctx, { address, verification, caller }), deadlineAt),
    countImported(ctx, address),
  ])
  return { ...neighbors, reported, directory, breaches }
}

async function findNeighbors(ctx: Context, address: ValidAddress, accountId: string | null) {
  const own = cacheKey(address).slice(0, -address.domain.length - 1)
  const [locals, reports] = await Promise.all([
    ctx.store.neighbors.locals(address.domain, MAX_NEIGHBORS),
    accountId === null ? { received: 0, bounced: 0 } : ctx.store.neighbors.reported(accountId, address.domain),
  ])
  return { locals: locals.filter((local) => local !== own), ...reports }
}

/** The later report decides. */
async function findReported(ctx: Context, address: ValidAddress, accountId: string) {
  const found = await ctx.store.neighbors.ownFeedback(accountId, await addressHashes(ctx.digests, address))
  const { arrivedAt = null, bouncedAt = null } = found ?? {}
  if (arrivedAt === null && bouncedAt === null) return null
  return (arrivedAt ?? 0) >= (bouncedAt ?? 0) ? "arrived" : "bounced"
}

/** Queries the directory of the domain's mail operator, if one is configured and the caller may see it. */
async function queryDirectory(
  { directories }: Pick<Context, "directories">,
  { address, verification: { evidence }, caller }: Pick<ResolveInput, "address" | "verification" | "caller">,
): Promise<DirectoryAnswer | null> {
  const operator = operatorOf(mailHostsOf(evidence.domain?.route)[0])
  const isGateway = operator !== "google" && operator !== "microsoft365"
  const queried = [
    ...(operator === "google" || isGateway ? [directories.google] : []),
    ...(operator === "microsoft365" || isGateway ? [directories.microsoft] : []),
  ]
  const answers = await Promise.all(queried.map((found) => directoryFor(found, caller)?.find(address) ?? null))
  return answers.find((answer) => answer && answer.kind !== "foreign" && answer.kind !== "failure") ?? null
}

/** Counts imported breaches only: a breach service costs a credit, which the caller did not request. */
async function countImported(ctx: Context, address: ValidAddress): Promise<number | null> {
  if ((await ctx.store.breaches.sets()).length === 0) return null
  const candidates = await ctx.digests.candidates("breach", await breachHash(address.normalized))
  return (await ctx.store.breaches.findMany(candidates)).length
}
