import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, createClient } from "@libsql/client/web"
import { afterAll, afterEach, describe, expect, test } from "vitest"
import { migrate } from "../../scripts/data/migrate.ts"
import { type Child, startChild } from "../../scripts/dev/child.ts"
import { startLibsqlServer } from "../../scripts/libsql-server/main.ts"
import { modesIn } from "../support/deps/file-modes.ts"

const authToken = "token-of-the-process-test"
const folder = mkdtempSync(join(tmpdir(), "libsql-"))
const children: Child[] = []

afterEach(async () => {
  for (const child of children.splice(0)) await child.stop()
})
afterAll(() => rmSync(folder, { recursive: true }))

async function start(name: string) {
  const lines: string[] = []
  const env = { DATA_DIR: join(folder, name), LIBSQL_PORT: "0", LIBSQL_AUTH_TOKEN: authToken }
  const child = await startChild("database", "scripts/libsql-server/main.ts", {
    env,
    onLine: (line) => lines.push(line),
  })
  children.push(child)
  const url = /http:\/\/[^\s,]+/.exec(child.readyLine)?.[0] ?? ""
  return { child, url, lines, client: createClient({ url, authToken, concurrency: 100 }) }
}

interface Writing {
  readonly client: Client
  readonly kind: "execute" | "batch"
  readonly onAnswer: (...ids: number[]) => void
}

/** Writes pairs of ids, starting at the first one, until the server dies. */
async function writeUntilTheEnd(first: number, { client, kind, onAnswer }: Writing): Promise<void> {
  const insert = (id: number) => ({ sql: "INSERT INTO entry VALUES (?)", args: [id] })
  try {
    for (let id = first; ; id += 2) {
      if (kind === "batch") {
        await client.batch([insert(id), insert(id + 1)], "write")
        onAnswer(id, id + 1)
      } else {
        await client.execute(insert(id))
        onAnswer(id)
      }
    }
  } catch {
    return
  }
}

describe("the process", () => {
  test("creates files readable by its own user only, also in an existing folder", async () => {
    const dataDir = join(folder, "open")
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    const { client } = await start("open")
    await client.execute("CREATE TABLE kept (id)")
    const { ".": _, ...files } = modesIn(dataDir)
    expect(Object.keys(files)).toEqual(expect.arrayContaining(["mailverdict.db", "mailverdict.db-wal", "in-use.lock"]))
    expect(new Set(Object.values(files))).toEqual(new Set(["600"]))
  })

  test("accepts the migrations twice, and preserves the data over a clean stop", async () => {
    const first = await start("clean")
    await migrate({ url: first.url, authToken })
    await migrate({ url: first.url, authToken })
    await first.client.executeMultiple("CREATE TABLE kept (id); INSERT INTO kept VALUES (1)")
    const idle = createConnection(Number(new URL(first.url).port), "127.0.0.1").on("error", () => undefined)
    await first.child.stop()
    expect(await first.child.ended).toBe(0)
    expect(first.lines).toEqual([])
    idle.destroy()
    const second = await start("clean")
    const port = Number(new URL(second.url).port)
    await expect(startLibsqlServer({ file: join(folder, "other.db"), port })).rejects.toThrow(/EADDRINUSE/)
    expect((await second.client.execute("SELECT id FROM kept")).rows).toEqual([{ id: 1 }])
  })

  test("locks its data folder until it ends, cleanly or not", async () => {
    const { child } = await start("alone")
    await expect(start("alone")).rejects.toThrow(
      /another service uses the data folder .*alone: stop it, or set DATA_DIR/,
    )
    process.kill(child.pid, "SIGKILL")
    await child.ended
    await start("alone")
  })

  test.each([20, 100, 300])(
    "SIGKILL after %i rows loses no acknowledged row and leaves no partial batch",
    async (rows) => {
      const name = `kill-${rows}`
      const { child, client } = await start(name)
      await client.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY)")
      const answered: number[] = []
      const onAnswer = (...ids: number[]) => {
        answered.push(...ids)
        if (answered.length >= rows) process.kill(child.pid, "SIGKILL")
      }
      const writers = Array.from({ length: 8 }, (_, i) =>
        writeUntilTheEnd(i * 1_000_000, { client, kind: i % 2 ? "batch" : "execute", onAnswer }),
      )
      await Promise.all(writers)
      expect(answered.length).toBeGreaterThanOrEqual(rows)

      const again = await start(name)
      const found = await again.client.execute("SELECT id FROM entry")
      const storedIds = new Set(found.rows.map(({ id }) => Number(id)))
      expect(answered.filter((id) => !storedIds.has(id))).toEqual([])
      const ofBatches = [...storedIds].filter((id) => Math.floor(id / 1_000_000) % 2 === 1)
      expect(ofBatches.filter((id) => !storedIds.has(id ^ 1))).toEqual([])
      await again.client.execute("INSERT INTO entry VALUES (-1)")
    },
  )
})
