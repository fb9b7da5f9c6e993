/** Returns unique column names: the names of the file, or "column_2" for a column without a name. */
export function columnNames(named: readonly string[] | null, width: number): string[] {
  const taken: Taken = new Map()
  return Array.from({ length: Math.max(width, named?.length ?? 0) }, (_, index) =>
    uniqueName(taken, named?.[index]?.trim() || `column_${index + 1}`),
  )
}

/** Returns unique names for added columns. A name that the table already has gets a prefix. */
export function addedNames(added: readonly string[], existing: readonly string[]): string[] {
  const taken: Taken = new Map(existing.map((name) => [name.toLowerCase(), 2]))
  return added.map((name) => uniqueName(taken, taken.has(name) ? `mailverdict_${name}` : name))
}

/** Names in lower case with the next number to try, because thousands of columns may have the same name. */
type Taken = Map<string, number>

/** Returns a free name, with a number when it is taken, and marks it as taken. */
function uniqueName(taken: Taken, name: string): string {
  const key = name.toLowerCase()
  let number = taken.get(key) ?? 2
  let free = name
  while (taken.has(free.toLowerCase())) free = `${name}_${number++}`
  taken.set(key, number)
  if (free !== name) taken.set(free.toLowerCase(), 2)
  return free
}

/** Finds a column by its name or its number from 1. Null when there is none. */
export function columnNamed(wanted: string, names: readonly string[]): number | null {
  const index = names.findIndex((name) => name.toLowerCase() === wanted.trim().toLowerCase())
  if (index >= 0) return index
  const number = /^\d{1,3}$/.test(wanted) ? Number(wanted) : 0
  return number >= 1 && number <= names.length ? number - 1 : null
}
