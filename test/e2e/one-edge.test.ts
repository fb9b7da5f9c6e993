import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, expect, test } from "vitest"
import { startStack } from "../../scripts/dev/stack.ts"
import { startLibsqlServer } from "../../scripts/libsql-server/main.ts"

const folders: string[] = []
function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-edge-"))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Starts an edge without nodes in this process. */
const start = (folder: string, settings: Record<string, string> = {}) =>
  startStack({
    ...{ port: 0, dataDir: folder, sandbox: false, build: false, settings: { PROBE_NODES: "[]", ...settings } },
    ...{ onLog: () => undefined, onStep: () => undefined },
  })

/** Runs `npm start` in a process that can be killed, and waits until it answers. */
async function startProcess(folder: string, settings: Record<string, string>) {
  const { PATH, HOME } = process.env
  const child = spawn("node", ["scripts/dev/start.ts"], {
    env: { PATH, HOME, PORT: "0", SANDBOX: "0", PROBE_NODES: "[]", DATA_DIR: folder, ...settings },
    stdio: ["ignore", "pipe", "ignore"],
  })
  for await (const line of createInterface({ input: child.stdout })) if (/running at/.test(line)) break
  child.stdout.resume()
  return child
}

test("on the operator's database a second edge is refused, and the folder of a killed one starts again at once", async () => {
  const [own, other] = [dataDir(), dataDir()]
  const database = await startLibsqlServer({ file: join(dataDir(), "shared.db"), authToken: "t" })
  const settings = { LIBSQL_URL: database.url, LIBSQL_AUTH_TOKEN: "t", KEY_PEPPER: "p".repeat(32) }
  try {
    const first = await startProcess(own, settings)
    await expect(start(own, settings)).rejects.toThrow(/^another service uses the data folder /)
    await expect(start(other, settings)).rejects.toThrow(
      /^LIBSQL_URL: another edge uses this database: .*EDGE_TAKEOVER=1/s,
    )
    first.kill("SIGKILL")
    await once(first, "close")
    const again = await start(own, settings)
    expect((await fetch(`${again.url}/plans`)).status).toBe(200)
    await again.stop()
    // After a stop, any edge may start.
    await (await start(other, settings)).stop()
  } finally {
    await database.stop()
  }
})

test("a lost secrets.json is reported instead of making every key unknown", async () => {
  const folder = dataDir()
  await (await start(folder)).stop()
  rmSync(join(folder, "secrets.json"))
  await expect(start(folder)).rejects.toThrow(
    /^KEY_PEPPER: the database belongs to an installation with another KEY_PEPPER/,
  )
})
