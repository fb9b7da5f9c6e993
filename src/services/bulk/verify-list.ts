import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { creditsFor } from "../../domain/bulk/credits.ts"
import { withoutDuplicates } from "../../domain/bulk/unique.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { standingAmong } from "../../domain/suppression/mark.ts"
import { type Verification, withStanding } from "../../domain/verdict/verification.ts"
import { charge } from "../accounts/charge.ts"
import { findStandings, type StandingNeeds } from "../suppression/find-standing.ts"
import { type VerifyManyNeeds, verifyMany } from "../verification/verify-many.ts"

type Needs = VerifyManyNeeds & StandingNeeds & Pick<Deps, "meter">

export interface ListInput {
  readonly emails: readonly string[]
  readonly smtp: boolean
  readonly deduplicate: boolean
  /** Addresses asked about at a time; null leaves it to the nodes. */
  readonly maxConcurrent: number | null
  readonly checkSuppression: boolean
  /** Null for a caller without an account. */
  readonly accountId: string | null
}

/** Within the client's 60 s. */
const BUDGET_MS = 55_000

/** Verifies a short list in the call, each address anew. The list is paid for as a whole or refused as a whole. */
export async function verifyList(needs: Needs, input: ListInput): Promise<Verification[]> {
  const wallAt = needs.clock.now() + BUDGET_MS
  const given = input.emails.map((email) => ({ email, address: parseAddress(email) }))
  const entries = input.deduplicate ? withoutDuplicates(given) : given
  const addresses = entries.flatMap(({ address }) => (address.ok ? [address] : []))
  const verifyAll = async () => {
    const { smtp, accountId, checkSuppression } = input
    const standings = await findStandings(needs, { accountId, addresses })
    const width = input.maxConcurrent ?? entries.length
    const verified: Verification[] = []
    for (let at = 0; at < entries.length; at += width) {
      const emails = entries.slice(at, at + width).map(({ email }) => email)
      verified.push(...(await verifyMany(needs, { emails, smtp, wallAt, priority: "interactive", serve: "nothing" })))
    }
    return verified.map((one) => {
      const standing = standingAmong(standings, one.evidence.address)
      return withStanding(one, checkSuppression ? standing : { ...standing, isSuppressed: false })
    })
  }
  if (addresses.length > 0)
    return charge(needs, { most: addresses.length * CREDITS.verification, costOf: creditsFor }, verifyAll)
  await needs.meter.admit()
  return verifyAll()
}
