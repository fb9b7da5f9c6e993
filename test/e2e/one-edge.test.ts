import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, expect, test } from "vitest"
import { startLibsqlServer } from "../../scripts/libsql-server/main.ts"
import { runToEnd, send } from "../support/stack/npm-start.ts"

const folders: string[] = []
function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-edge-"))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Starts the service and waits until it answers. */
async function startNode(env: Record<string, string>) {
  const child = spawn("node", ["scripts/dev/start.ts"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", PROBE_NODES: "[]", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  })
  const ended = once(child, "close")
  for await (const line of createInterface({ input: child.stdout })) if (/running at/.test(line)) break
  child.stdout.resume()
  return { child, ended }
}

test("on the operator's database a second edge is refused, and the folder of a killed one starts again at once", async () => {
  const [own, other] = [dataDir(), dataDir()]
  const database = await startLibsqlServer({ file: join(dataDir(), "shared.db"), authToken: "t" })
  const settings = { LIBSQL_URL: database.url, LIBSQL_AUTH_TOKEN: "t", KEY_PEPPER: "p".repeat(32), PROBE_NODES: "[]" }
  try {
    const first = await startNode({ ...settings, DATA_DIR: own })
    const sameFolder = await runToEnd({ ...settings, DATA_DIR: own })
    expect({ code: sameFolder.code, err: sameFolder.err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot start\. another service uses the data folder /),
    })
    const second = await runToEnd({ ...settings, DATA_DIR: other })
    expect({ code: second.code, err: second.err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot start\. LIBSQL_URL: another edge uses this database: .*EDGE_TAKEOVER=1/s),
    })
    first.child.kill("SIGKILL")
    await first.ended
    const again = await startNode({ ...settings, DATA_DIR: own })
    again.child.kill("SIGTERM")
    expect(await again.ended).toEqual([0, null])
    // After a stop, any edge may start.
    const { code, out } = await runToEnd({ ...settings, DATA_DIR: other }, send("SIGTERM"), /running at/)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("running at") })
  } finally {
    await database.stop()
  }
}, 120_000)

test("a lost secrets.json is reported instead of making every key unknown", async () => {
  const folder = dataDir()
  await runToEnd({ DATA_DIR: folder }, send("SIGTERM"), /running at/)
  rmSync(join(folder, "secrets.json"))
  const { code, err } = await runToEnd({ DATA_DIR: folder })
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^Cannot start\. KEY_PEPPER: the database belongs to an installation with another/),
  })
}, 60_000)
