import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { createGunzip } from "node:zlib"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { createBreachStore } from "../../src/adapters/store/signals/breaches.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { readEnvFile } from "../dev/settings.ts"
import { localSecrets } from "./data-files.ts"
import { type Imported, importLines } from "./import-lines.ts"

const USAGE = `Usage: npm run import:breaches -- --breach NAME [--date YYYY-MM-DD] FILE

Imports the addresses of a list as breached. FILE is a text file with one address, or the SHA-256 of one, on each line.
A second column after a tab, comma or semicolon names another breach. "-" reads standard input; .gz files are unpacked.
Stores only keyed hashes, under KEY_PEPPER. Reads LIBSQL_URL, LIBSQL_AUTH_TOKEN and KEY_PEPPER, also from .env.
Without them it uses the database and the secrets of a local \`npm start\` (DATA_DIR, default .data).`

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
  const report = ({ taken, skipped }: Imported) => {
    if (Date.now() - reportedAt < 2_000) return
    reportedAt = Date.now()
    console.error(
      `${taken} addresses, ${skipped} lines skipped, ${Math.round((taken * 1_000) / (reportedAt - startedAt))}/s`,
    )
  }
  const input = file === "-" ? process.stdin : createReadStream(file)
  const lines = createInterface({
    input: file.endsWith(".gz") ? input.pipe(createGunzip()) : input,
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  const { taken, skipped } = await importLines(deps, {
    lines,
    breach: values.breach,
    breachedOn: values.date ?? null,
    now: startedAt,
    onProgress: report,
  })
  console.log(`${taken} addresses imported in ${Date.now() - startedAt} ms, ${skipped} lines skipped`)
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

await main()
