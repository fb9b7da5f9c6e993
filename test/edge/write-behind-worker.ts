import { systemClock } from "../../src/adapters/platform.ts"
import { createWriteBehind, newWriteBehindMemory, type WrittenEntry } from "../../src/adapters/write-behind.ts"

/** Shared by all requests of the isolate, as in src/adapters/create-context.ts. */
const memory = newWriteBehindMemory<string>()
const stored: string[] = []
let writes = 0

async function write(entries: readonly WrittenEntry<string>[]): Promise<boolean[]> {
  writes++
  await systemClock.sleep(20)
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
    void createWriteBehind({ memory, bytesOf: () => 1, write }, deps).add(entry)
    return new Response("answered")
  },
}
