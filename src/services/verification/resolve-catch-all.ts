import { byWall } from "../../adapters/by-wall.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import type { Resolution } from "../../domain/catchall/resolve.ts"
import type { Signal } from "../../domain/catchall/signals.ts"
import { breachHash } from "../../domain/keys/breach-digest.ts"
import { mailHostsOf, operatorOf } from "../../domain/mail/operators.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import type { DirectoryAnswer } from "../../domain/verdict/directory.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { type WeighNeeds, weighSignals } from "../learning/weigh-signals.ts"

type Needs = WeighNeeds & Pick<Deps, "clock" | "digests" | "neighbours" | "directories" | "breaches">

export interface ResolveInput {
  readonly address: ValidAddress
  /** What SMTP, lists and domain facts say. */
  readonly verification: Verification
  /** Null for a caller without an account, who has reported nothing. */
  readonly accountId: string | null
  /** Unix ms; a directory that has not answered by then says nothing. */
  readonly wallAt: number
}

export interface CatchAllResolution {
  readonly signals: readonly Signal[]
  readonly resolution: Resolution
}

const MAX_NEIGHBOURS = 200

/**
 * How likely a mailbox behind an accept-all domain is really there, from everything that can be known besides the
 * server's yes.
 */
export async function resolveCatchAll(needs: Needs, input: ResolveInput): Promise<CatchAllResolution> {
  const { address, verification, accountId, wallAt } = input
  const [neighbours, reported, directory, breaches] = await Promise.all([
    findNeighbours(needs, address, accountId),
    accountId === null ? null : findReported(needs, address, accountId),
    byWall(needs.clock, askDirectory(needs, verification, address), wallAt),
    countImported(needs, address),
  ])
  return weighSignals(needs, { verification, address, neighbours, reported, directory, breaches })
}

async function findNeighbours({ neighbours }: Needs, address: ValidAddress, accountId: string | null) {
  const own = cacheKey(address).slice(0, -address.domain.length - 1)
  const [locals, reports] = await Promise.all([
    neighbours.locals(address.domain, MAX_NEIGHBOURS),
    accountId === null ? { received: 0, bounced: 0 } : neighbours.reported(accountId, address.domain),
  ])
  return { locals: locals.filter((local) => local !== own), ...reports }
}

/** The later of the reports counts. */
async function findReported({ neighbours, digests }: Needs, address: ValidAddress, accountId: string) {
  const found = await neighbours.ownFeedback(accountId, await addressHashes(digests, address))
  const { arrivedAt = null, bouncedAt = null } = found ?? {}
  if (arrivedAt === null && bouncedAt === null) return null
  return (arrivedAt ?? 0) >= (bouncedAt ?? 0) ? "arrived" : "bounced"
}

/** The directory of the operator that the domain's mail goes to, when we were given access to one. */
async function askDirectory(
  { directories }: Needs,
  { evidence }: Verification,
  address: ValidAddress,
): Promise<DirectoryAnswer | null> {
  const operator = operatorOf(mailHostsOf(evidence.domain?.route)[0])
  const isGateway = operator !== "google" && operator !== "microsoft365"
  const asked = [
    ...(operator === "google" || isGateway ? [directories.google] : []),
    ...(operator === "microsoft365" || isGateway ? [directories.microsoft] : []),
  ]
  const answers = await Promise.all(asked.map((found) => (found.isConfigured ? found.directory.find(address) : null)))
  return answers.find((answer) => answer && answer.kind !== "foreign" && answer.kind !== "failure") ?? null
}

/** Only the imported breaches: a breach service costs a credit, which nobody asked for here. */
async function countImported({ breaches, digests }: Needs, address: ValidAddress): Promise<number | null> {
  if ((await breaches.sets()).length === 0) return null
  const candidates = await digests.candidates("breach", await breachHash(address.normalized))
  return (await breaches.among(candidates)).length
}
