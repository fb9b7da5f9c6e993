/** Records of a sample. */
const RECORDS = 100
/** Characters of a sample, so that a few long records do not block the thread. */
const CHARACTERS = 65_536

/** Takes the first records of a table, enough to find the email column, limited by number and by length. */
export async function takeSample<T extends readonly string[]>(records: AsyncIterator<T> | Iterator<T>): Promise<T[]> {
  const taken: T[] = []
  let characters = 0
  while (taken.length < RECORDS && characters < CHARACTERS) {
    const next = await records.next()
    if (next.done) break
    taken.push(next.value)
    characters += next.value.reduce((sum, { length }) => sum + length, 0)
  }
  return taken
}
