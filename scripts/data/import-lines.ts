import type { BreachStore } from "../../src/adapters/store/signals/breaches.ts"
import type { Digests } from "../../src/domain/accounts/crypto.ts"
import { breachDigest } from "../../src/domain/address/address-forms.ts"
import { parseAddress } from "../../src/domain/address/parse.ts"

export interface Import {
  readonly lines: AsyncIterable<string>
  /** Name of the breach for lines that do not name one. */
  readonly breach: string
  readonly breachedOn: string | null
  /** Unix milliseconds. */
  readonly now: number
  /** Called after each batch. */
  readonly onProgress: (count: Imported) => void
}

export interface Imported {
  readonly lines: number
  /** Lines with an address or the SHA-256 of one. */
  readonly taken: number
  /** All other lines. */
  readonly skipped: number
}

const BATCH = 2_000
const SHA256_HEX = /^[0-9a-f]{64}$/i

/**
 * Stores keyed hashes of the addresses in a list. A line holds an address or its SHA-256, and optionally the name of
 * its breach after a tab, comma or semicolon. Memory use is constant; importing the same list again changes nothing.
 */
export async function importLines(
  deps: { breaches: BreachStore; digests: Digests },
  { lines, breach, breachedOn, now, onProgress }: Import,
): Promise<Imported> {
  const count = { lines: 0, taken: 0, skipped: 0 }
  const names = new Set<string>()
  let batch: { text: string; breach: string }[] = []
  const flush = async () => {
    const rows = await Promise.all(
      batch.map(async (line) => ({ digest: await breachDigest(deps.digests, line.text), breach: line.breach })),
    )
    batch = []
    if (rows.length > 0) await deps.breaches.add(rows)
    onProgress(count)
  }
  for await (const line of lines) {
    if (line.trim() === "") continue
    count.lines++
    const read = readLine(line, breach)
    if (!read) {
      count.skipped++
      continue
    }
    count.taken++
    names.add(read.breach)
    if (batch.push(read) === BATCH) await flush()
  }
  await flush()
  for (const name of names)
    await deps.breaches.saveSet({ name, breachedOn: name === breach ? breachedOn : null, importedAt: now })
  return count
}

function readLine(line: string, breach: string): { text: string; breach: string } | null {
  const [first = "", second = ""] = line.trim().split(/[\t;,]/, 2)
  const text = first.trim()
  const address = parseAddress(text)
  // Normalized, because lookups use the normalized form.
  if (address.ok) return { text: address.normalized, breach: second.trim() || breach }
  return SHA256_HEX.test(text) ? { text, breach: second.trim() || breach } : null
}
