/** No account's samples are together worth more than this share of all. */
export const MAX_ACCOUNT_SHARE = 0.1
/** With few accounts the share has to be larger: this much over an equal part. */
const OVER_EQUAL_PART = 1.5
/** Accounts with fewer samples count as one: many small accounts may be one that hides. */
const MIN_ACCOUNT_SAMPLES = 20
const SMALL = "(small accounts)"
const UNPROVEN = "(unproven accounts)"
const ROUNDS = 60

/**
 * Accounts that nobody stands behind as one: anybody makes free keys by the dozen, each an account of its own.
 * @param known accounts with a proven mailbox or a plan, and those the operator trusts
 */
export function joinUnproven<S extends { readonly accountId: string }>(
  samples: readonly S[],
  known: ReadonlySet<string>,
): S[] {
  return samples.map((sample) => (known.has(sample.accountId) ? sample : { ...sample, accountId: UNPROVEN }))
}

/** The group an account's samples are weighed in. */
export function groupsOf(accounts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const account of accounts) counts.set(account, (counts.get(account) ?? 0) + 1)
  return accounts.map((account) => (counts.get(account)! < MIN_ACCOUNT_SAMPLES ? SMALL : account))
}

/** The largest share that a group may have among so many. */
function largestShare(groups: number): number {
  return Math.max(MAX_ACCOUNT_SHARE, Math.min(1, OVER_EQUAL_PART / groups))
}

/**
 * What each sample of a group is worth, 0 to 1, so that no group is worth more than its share of all.
 * @param trusted accounts whose feedback the operator vouches for: never cut
 */
export function weightByGroup(groups: readonly string[], trusted: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  const share = trusted.size > 0 ? MAX_ACCOUNT_SHARE : largestShare(counts.size)
  let limit = groups.length
  for (let round = 0; round < ROUNDS; round++) {
    const total = [...counts].reduce((sum, [group, n]) => sum + (trusted.has(group) ? n : Math.min(n, limit)), 0)
    limit = share * total
  }
  return new Map([...counts].map(([group, n]) => [group, trusted.has(group) ? 1 : Math.min(1, limit / n)]))
}
