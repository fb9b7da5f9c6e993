/** Maximum share of one account in the total sample weight. */
export const MAX_ACCOUNT_SHARE = 0.1
/** With few accounts the limit is higher: this multiple of an equal share. */
const OVER_EQUAL_PART = 1.5
/** Accounts with fewer samples form one group: many small accounts may belong to one person. */
const MIN_ACCOUNT_SAMPLES = 20
const SMALL = "(small accounts)"
const UNPROVEN = "(unproven accounts)"
const ROUNDS = 60

/**
 * Joins unproven accounts into one group. Free keys are unlimited, and each would count as an account of its own.
 * @param known accounts with a verified mailbox or a plan, and trusted accounts
 */
export function groupUnverifiedAccounts<S extends { readonly accountId: string }>(
  samples: readonly S[],
  known: ReadonlySet<string>,
): S[] {
  return samples.map((sample) => (known.has(sample.accountId) ? sample : { ...sample, accountId: UNPROVEN }))
}

/** The weighting group of each sample. */
export function groupsOf(accounts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const account of accounts) counts.set(account, (counts.get(account) ?? 0) + 1)
  return accounts.map((account) => (counts.get(account)! < MIN_ACCOUNT_SAMPLES ? SMALL : account))
}

/** Maximum share of one group. */
function largestShare(groups: number): number {
  return Math.max(MAX_ACCOUNT_SHARE, Math.min(1, OVER_EQUAL_PART / groups))
}

/**
 * Weight of each sample per group, 0 to 1, so that no group exceeds its maximum share.
 * @param trusted accounts whose weight is never reduced
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
