/** Cuts a page from rows fetched with `limit + 1`. @returns the page, and its last row when more follow, else null */
export function pageOf<T>(found: readonly T[], limit: number): { page: T[]; last: T | null } {
  const page = found.slice(0, limit)
  return { page, last: found.length > limit ? page.at(-1)! : null }
}
