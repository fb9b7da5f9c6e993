import { mkdtempSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "drizzle-orm"
import { beforeEach, expect, onTestFinished, test } from "vitest"
import { type EdgeLease, type EdgeLeaseOptions, edgeIdOf, holdEdgeLease } from "../../scripts/dev/claim-database.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeEach(async () => {
  server = await startDatabase()
  onTestFinished(server.stop)
})

/** Takes the lease as the edge with this id, and renews it every few ms. */
async function hold(edgeId: string, options: Partial<EdgeLeaseOptions> & { fetch?: typeof fetch } = {}) {
  const { fetch: fetching, ...given } = options
  const database = server.open(fetching ? { fetch: fetching } : {})
  const made = { edgeId, isTakeover: false, onNotice: () => undefined, renewEveryMs: 5, ...given }
  const lease = await holdEdgeLease(database, made)
  onTestFinished(() => lease.release())
  return lease
}

const run = (text: string) => server.open().run(sql.raw(text))
const expire = () => run("UPDATE installation SET edge_until = 1")
async function row() {
  const [found] = await server.open().all<{ edge_id: string; edge_until: number }>(sql`SELECT * FROM installation`)
  return found!
}
const lossOf = (lease: EdgeLease) => lease.lost.catch((error: Error) => error.message)

test("a second edge is refused while the lease lasts, and learns why and how to go on", async () => {
  await hold("one")
  const refused = hold("two")
  await expect(refused).rejects.toThrow(`another edge uses this database: host ${hostname()}, seen `)
  await expect(refused).rejects.toThrow(/suppressed or erased at one stays usable at the other, and limits count twice/)
  await expect(refused).rejects.toThrow(/wait \d+ s, or start with `EDGE_TAKEOVER=1 npm start`.*docs\/scale\.md/s)
  expect((await row()).edge_id).toBe("one")
})

test("after a release the next edge starts at once, after a crash when the lease has ended", async () => {
  const first = await hold("one")
  await first.release()
  await hold("two", { renewEveryMs: 60_000 })
  await expect(hold("three")).rejects.toThrow("another edge")
  await expire()
  await hold("three")
})

test("the same state folder takes its own lease back at once", async () => {
  await hold("one", { renewEveryMs: 60_000 })
  await hold("one")
  expect((await row()).edge_id).toBe("one")
})

test("an edge that is taken over learns that it must stop, and does not take the lease back", async () => {
  const first = await hold("one")
  const second = await hold("two", { isTakeover: true })
  expect(await lossOf(first)).toMatch(/^The edge on host .* has taken over this database, so this edge stops\. /)
  await first.release()
  expect((await row()).edge_id).toBe("two")
  // A copy of the folder counts as the same edge, but one process alone holds the lease.
  const copy = await hold("two")
  expect(await lossOf(second)).toContain("this edge stops")
  await copy.release()
})

test("the holder renews the lease, also after its end and after an outage of the database", async () => {
  const notices: string[] = []
  let isAway = false
  const away: typeof fetch = (...call) => (isAway ? Promise.reject(new TypeError("away")) : fetch(...call))
  await hold("one", { fetch: away, onNotice: (line) => void notices.push(line) })
  await expire()
  await expect.poll(async () => (await row()).edge_until).toBeGreaterThan(1)
  isAway = true
  await expect.poll(() => notices).toEqual([expect.stringContaining("cannot be renewed")])
  await expire()
  isAway = false
  await expect.poll(() => notices).toEqual([expect.anything(), "the lease of this edge is renewed again"])
  expect((await row()).edge_until).toBeGreaterThan(1)
})

test("an edge that another replaced during an outage stops when the database is back", async () => {
  let isAway = true
  let calls = 0
  // The first call takes the lease.
  const away: typeof fetch = (...call) =>
    calls++ > 0 && isAway ? Promise.reject(new TypeError("away")) : fetch(...call)
  const first = await hold("one", { fetch: away })
  await expire()
  await hold("two")
  isAway = false
  expect(await lossOf(first)).toContain("this edge stops")
})

test("a state folder keeps its id, and another has another", () => {
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "mailverdict-edge-")))
  onTestFinished(() => folders.forEach((folder) => void rmSync(folder, { recursive: true })))
  const [one, other] = folders.map((folder) => edgeIdOf(join(folder, "workerd")))
  expect(edgeIdOf(join(folders[0]!, "workerd"))).toBe(one)
  expect(other).not.toBe(one)
})
