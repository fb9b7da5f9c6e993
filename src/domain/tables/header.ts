/** Names of a table's columns, each different from the others: as the file has them, "column_2" where it has none. */
export function columnNames(named: readonly string[] | null, width: number): string[] {
  const taken = new Set<string>()
  return Array.from({ length: Math.max(width, named?.length ?? 0) }, (_, index) => {
    const given = named?.[index]?.trim() || `column_${index + 1}`
    const name = unlike(taken, given)
    taken.add(name.toLowerCase())
    return name
  })
}

/** Names of added columns, those the table has already with a prefix. */
export function addedNames(added: readonly string[], existing: readonly string[]): string[] {
  const taken = new Set(existing.map((name) => name.toLowerCase()))
  return added.map((name) => unlike(taken, taken.has(name) ? `mailverdict_${name}` : name))
}

function unlike(taken: ReadonlySet<string>, name: string): string {
  for (let number = 2, candidate = name; ; number++) {
    if (!taken.has(candidate.toLowerCase())) return candidate
    candidate = `${name}_${number}`
  }
}

/** A column by its name or its number from 1; null when the table has none like it. */
export function columnNamed(wanted: string, names: readonly string[]): number | null {
  const index = names.findIndex((name) => name.toLowerCase() === wanted.trim().toLowerCase())
  if (index >= 0) return index
  const number = /^\d{1,3}$/.test(wanted) ? Number(wanted) : 0
  return number >= 1 && number <= names.length ? number - 1 : null
}
