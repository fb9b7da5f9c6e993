import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import { NO_STANDING, type Standing, standingOf } from "../../domain/suppression/mark.ts"
import { OPERATOR_LIST } from "../../domain/suppression/suppression.ts"
import { type RefreshNeeds, refreshMarks } from "./refresh-marks.ts"

export type StandingNeeds = Pick<Deps, "suppressions" | "digests" | "clock">
type EdgeNeeds = Pick<Deps, "marks" | "digests" | "clock">

/** The lists that count for an account; for a caller without one only the operator's. */
const listsOf = (accountId: string | null) =>
  accountId === null || accountId === OPERATOR_LIST ? [OPERATOR_LIST] : [accountId, OPERATOR_LIST]

/** What an account knows about an address, from the database. @param accountId null for a caller without an account */
export async function findStanding(
  needs: StandingNeeds,
  { accountId, address }: { accountId: string | null; address: ValidAddress },
): Promise<Standing> {
  const standings = await findStandings(needs, { accountId, addresses: [address] })
  return standings.get(cacheKey(address)) ?? NO_STANDING
}

/** The same from the edge's own marks: one operation, no database. Null while a list is being filled: ask the database. */
export async function findStandingAtEdge(
  { marks, digests, clock }: EdgeNeeds,
  { accountId, address }: { accountId: string | null; address: ValidAddress },
): Promise<Standing | null> {
  const hashes = await addressHashes(digests, address)
  const found = await marks.get(listsOf(accountId), hashes)
  return found && standingOf(found, clock.now())
}

/** Addresses in one statement; the number of lists times addresses stays far below what a statement may hold. */
const SLICE = 1_000

/** The standing of many addresses by their cache key; those nothing is known about are left out. */
export async function findStandings(
  needs: StandingNeeds,
  { accountId, addresses }: { accountId: string | null; addresses: readonly ValidAddress[] },
): Promise<Map<string, Standing>> {
  const unique = [...new Map(addresses.map((address) => [cacheKey(address), address]))]
  const found = new Map<string, Standing>()
  if (unique.length > 1 && !(await needs.suppressions.haveMarks(listsOf(accountId)))) return found
  const now = needs.clock.now()
  for (let at = 0; at < unique.length; at += SLICE) {
    const slice = unique.slice(at, at + SLICE)
    const hashed = await Promise.all(
      slice.map(async ([key, address]) => ({ key, hashes: await addressHashes(needs.digests, address) })),
    )
    const lists = await needs.suppressions.marks(
      listsOf(accountId),
      hashed.flatMap(({ hashes }) => hashes),
      now,
    )
    for (const { key, hashes } of hashed) {
      const marks = [...lists.values()].flatMap((list) => hashes.map((hash) => list.get(hash)))
      const standing = standingOf(marks, now)
      if (standing.isSuppressed || standing.isReceived) found.set(key, standing)
    }
  }
  return found
}

/** Puts back what the edge has lost of an address's marks. */
export async function restoreMarks(
  needs: RefreshNeeds & Pick<Deps, "digests">,
  { accountId, address }: { accountId: string | null; address: ValidAddress },
): Promise<void> {
  const hashes = await addressHashes(needs.digests, address)
  for (const list of listsOf(accountId)) await refreshMarks(needs, list, hashes)
}
