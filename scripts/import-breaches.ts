import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { createGunzip } from "node:zlib"
import { createBreachStore } from "../src/adapters/store/breaches.ts"
import { openDatabase } from "../src/adapters/store/database.ts"
import { createDigests } from "../src/domain/keys/digest.ts"
import { type Imported, importLines } from "./breaches/import-lines.ts"
import { readEnvFile } from "./env-file.ts"
import { localSecrets } from "./secrets.ts"

const USAGE = `Usage: npm run import:breaches -- --breach NAME [--date YYYY-MM-DD] FILE

Makes the addresses of a list known as breached. FILE is a text with one address, or the SHA-256 of one, a line; a second
column after a tab, comma or semicolon names another breach. "-" reads standard input, names in .gz are unpacked.
Only keyed hashes are stored, under KEY_PEPPER. Settings, from .env too: LIBSQL_URL, LIBSQL_AUTH_TOKEN, KEY_PEPPER; without them the
database and the secrets of a local \`npm start\` (DATA_DIR, default .data).`

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
  const needs = await openNeeds()
  const startedAt = Date.now()
  const told = { at: startedAt }
  const tell = ({ taken, skipped }: Imported) => {
    if (Date.now() - told.at < 2_000) return
    told.at = Date.now()
    console.error(
      `${taken} addresses, ${skipped} lines skipped, ${Math.round((taken * 1_000) / (told.at - startedAt))}/s`,
    )
  }
  const input = file === "-" ? process.stdin : createReadStream(file)
  const lines = createInterface({
    input: file.endsWith(".gz") ? input.pipe(createGunzip()) : input,
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  const { taken, skipped } = await importLines(needs, {
    lines,
    breach: values.breach,
    breachedOn: values.date ?? null,
    now: startedAt,
    onProgress: tell,
  })
  console.log(`${taken} addresses imported in ${Date.now() - startedAt} ms, ${skipped} lines skipped`)
}

async function openNeeds() {
  readEnvFile()
  const { LIBSQL_URL, LIBSQL_AUTH_TOKEN, KEY_PEPPER, LIBSQL_PORT, DATA_DIR } = process.env
  const local = LIBSQL_URL && KEY_PEPPER ? null : await localSecrets(DATA_DIR || ".data")
  const database = openDatabase({
    url: LIBSQL_URL || `http://127.0.0.1:${LIBSQL_PORT || 8080}`,
    authToken: LIBSQL_URL ? LIBSQL_AUTH_TOKEN : local?.libsqlToken,
  })
  return { breaches: createBreachStore(database), digests: await createDigests([KEY_PEPPER || local!.keyPepper]) }
}

await main()
