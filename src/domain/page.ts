/** A page of rows, of which one more than its `limit` was asked for, and its last row if more follow; else null. */
export function pageOf<T>(found: readonly T[], limit: number): { page: T[]; last: T | null } {
  const page = found.slice(0, limit)
  return { page, last: found.length > limit ? page.at(-1)! : null }
}
