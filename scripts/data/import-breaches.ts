import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { createGunzip } from "node:zlib"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { type BreachStore, createBreachStore } from "../../src/adapters/store/signals/breaches.ts"
import { createDigests, type Digests } from "../../src/domain/accounts/crypto.ts"
import { breachDigest } from "../../src/domain/address/address-forms.ts"
import { parseAddress } from "../../src/domain/address/parse.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { readEnvFile } from "../dev/settings.ts"
import { localSecrets } from "./data-files.ts"

const USAGE = `Usage: npm run import:breaches -- --breach NAME [--date YYYY-MM-DD] FILE

Imports the addresses of a list as breached. FILE is a text file with one address, or the SHA-256 of one, on each line.
A second column after a tab, comma or semicolon names another breach. "-" reads standard input; .gz files are unpacked.
Stores only keyed hashes, under KEY_PEPPER. Reads LIBSQL_URL, LIBSQL_AUTH_TOKEN and KEY_PEPPER, also from .env.
Without them it uses the database and the secrets of a local \`npm start\` (DATA_DIR, default .data).`

interface Import {
  readonly lines: AsyncIterable<string>
  /** Name of the breach for lines that do not name one. */
  readonly breach: string
  readonly breachedOn: string | null
  /** Unix milliseconds. */
  readonly now: number
  /** Called after each batch. */
  readonly onProgress: (count: { imported: number; skipped: number }) => void
}

const BATCH = 2_000
const SHA256_HEX = /^[0-9a-f]{64}$/i

/**
 * Stores keyed hashes of the addresses in a list. A line holds an address or its SHA-256, and optionally the name of
 * its breach after a tab, comma or semicolon. Memory use is constant; importing the same list again changes nothing.
 * @returns the number of lines, of those with an address or the SHA-256 of one, and of all others
 */
export async function importLines(
  deps: { breaches: BreachStore; digests: Digests },
  { lines, breach, breachedOn, now, onProgress }: Import,
) {
  const count = { lines: 0, imported: 0, skipped: 0 }
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
    count.imported++
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

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { breach: { type: "string" }, date: { type: "string" }, help: { type: "boolean", short: "h" } },
  })
  const [file] = positionals
  if (values.help || !values.breach || !file || (values.date && !/^\d{4}-\d{2}-\d{2}$/.test(values.date))) {
    console.error(USAGE)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const deps = await openDeps()
  const startedAt = Date.now()
  let reportedAt = startedAt
  const onProgress: Import["onProgress"] = ({ imported, skipped }) => {
    if (Date.now() - reportedAt < 2_000) return
    reportedAt = Date.now()
    const perSecond = Math.round((imported * 1_000) / (reportedAt - startedAt))
    console.error(`${imported} addresses, ${skipped} lines skipped, ${perSecond}/s`)
  }
  const input = file === "-" ? process.stdin : createReadStream(file)
  const lines = createInterface({
    input: file.endsWith(".gz") ? input.pipe(createGunzip()) : input,
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  const { imported, skipped } = await importLines(deps, {
    lines,
    breach: values.breach,
    breachedOn: values.date ?? null,
    now: startedAt,
    onProgress,
  })
  console.log(`${imported} addresses imported in ${Date.now() - startedAt} ms, ${skipped} lines skipped`)
}

async function openDeps() {
  readEnvFile()
  useProxyFromEnvironment()
  const { LIBSQL_URL, LIBSQL_AUTH_TOKEN, KEY_PEPPER, LIBSQL_PORT, DATA_DIR } = process.env
  const local = LIBSQL_URL && KEY_PEPPER ? null : await localSecrets(DATA_DIR || ".data")
  const database = openDatabase({
    url: LIBSQL_URL || `http://127.0.0.1:${LIBSQL_PORT || 8080}`,
    authToken: LIBSQL_URL ? LIBSQL_AUTH_TOKEN : local?.libsqlToken,
  })
  return { breaches: createBreachStore(database), digests: await createDigests([KEY_PEPPER || local!.keyPepper]) }
}

if (import.meta.main) await main()
