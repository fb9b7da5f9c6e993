import { systemClock } from "../../src/adapters/platform.ts"
import {
  createWriteBehind,
  newWriteBehindMemory,
  type WrittenEntry,
} from "../../src/adapters/verification/write-behind.ts"

/** How many entries the test adds. */
export const ENTRIES = 200

/** Shared by all requests of the isolate, as in src/adapters/create-context.ts. */
const memory = newWriteBehindMemory<string>()
const stored: string[] = []
let [added, writes] = [0, 0]

/** The first write lasts until the entries of all requests wait for the next one. */
async function write(entries: readonly WrittenEntry<string>[]): Promise<boolean[]> {
  const isFirst = ++writes === 1
  do await systemClock.sleep(5)
  while (isFirst && added < ENTRIES)
  stored.push(...entries.map(({ entry }) => entry))
  return entries.map(() => false)
}

/** Adds an entry and answers at once, or reports what is stored, for write-behind.test.ts. */
export const writeBehindWorker = {
  fetch(request: Request, _: unknown, execution: { waitUntil(work: Promise<unknown>): void }): Response {
    const entry = new URL(request.url).searchParams.get("entry")
    if (entry === null) return Response.json({ stored, writes })
    const background = (work: Promise<unknown>) => execution.waitUntil(work)
    const deps = { clock: systemClock, log: () => undefined, background }
    added++
    void createWriteBehind({ memory, bytesOf: () => 1, write }, deps).add(entry)
    return new Response("answered")
  },
}
