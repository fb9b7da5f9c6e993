/** Names of a table's columns, each different from the others: as the file has them, "column_2" where it has none. */
export function columnNames(named: readonly string[] | null, width: number): string[] {
  const taken: Taken = new Map()
  return Array.from({ length: Math.max(width, named?.length ?? 0) }, (_, index) =>
    unlike(taken, named?.[index]?.trim() || `column_${index + 1}`),
  )
}

/** Names of added columns, those the table has already with a prefix. */
export function addedNames(added: readonly string[], existing: readonly string[]): string[] {
  const taken: Taken = new Map(existing.map((name) => [name.toLowerCase(), 2]))
  return added.map((name) => unlike(taken, taken.has(name) ? `mailverdict_${name}` : name))
}

/** Names in lower case, each with the number to try next for one like it: thousands of columns may all have the same. */
type Taken = Map<string, number>

/** The name, with a number where it is taken; from then on it is taken itself. */
function unlike(taken: Taken, name: string): string {
  const key = name.toLowerCase()
  let number = taken.get(key) ?? 2
  let free = name
  while (taken.has(free.toLowerCase())) free = `${name}_${number++}`
  taken.set(key, number)
  if (free !== name) taken.set(free.toLowerCase(), 2)
  return free
}

/** A column by its name or its number from 1; null when the table has none like it. */
export function columnNamed(wanted: string, names: readonly string[]): number | null {
  const index = names.findIndex((name) => name.toLowerCase() === wanted.trim().toLowerCase())
  if (index >= 0) return index
  const number = /^\d{1,3}$/.test(wanted) ? Number(wanted) : 0
  return number >= 1 && number <= names.length ? number - 1 : null
}
