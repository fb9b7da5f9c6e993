import { describe, expect, test } from "vitest"
import {
  createWriteBehind,
  newWriteBehindMemory,
  type WrittenEntry,
} from "../../../src/adapters/verification/write-behind.ts"
import { AppError } from "../../../src/errors.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

type Answer = readonly boolean[] | Error
interface Write {
  readonly entries: readonly string[]
  readonly repeated: readonly string[]
  readonly atMs: number
}

const UNAVAILABLE = new AppError("unavailable", "the result store does not answer")

/**
 * An isolate whose requests share a memory, and a database with scripted answers. Without one it stores everything.
 * @param writeMs how long a write takes
 */
function isolate({ writeMs = 100, bytesOf = () => 1 }: { writeMs?: number; bytesOf?: (text: string) => number } = {}) {
  const clock = virtualClock(0)
  const memory = newWriteBehindMemory<string>()
  const writes: Write[] = []
  const logged: unknown[] = []
  const script: ((entries: readonly string[]) => Answer)[] = []
  /** @param isDead the platform ends the request: its timers and answers never come */
  const request = (isDead = () => false) => {
    const never = new Promise<never>(() => undefined)
    const alive = <T>(work: Promise<T>): Promise<T> => work.then((value) => (isDead() ? never : value))
    return createWriteBehind(
      {
        memory,
        bytesOf,
        async write(given: readonly WrittenEntry<string>[]) {
          const entries = given.map(({ entry }) => entry)
          const repeated = given.flatMap(({ entry, isRepeated }) => (isRepeated ? [entry] : []))
          writes.push({ entries, repeated, atMs: clock.now() })
          await alive(clock.sleep(writeMs))
          const answer = script.shift()?.(entries) ?? entries.map(() => false)
          if (answer instanceof Error) throw answer
          return answer
        },
      },
      {
        clock: { now: clock.now, sleep: (ms, signal) => alive(clock.sleep(ms, signal)) },
        log: (event, fields) => void logged.push({ event, ...fields }),
        background: () => undefined,
      },
    )
  }
  const batches = () => writes.map(({ entries }) => entries.join(" "))
  return { clock, memory, writes, logged, script, request, batches }
}

describe("entries of concurrent requests", () => {
  test("are one write, also when one follows a little later", async () => {
    const { clock, request, batches } = isolate()
    const [one, other] = [request(), request()]
    const later = clock.sleep(1).then(() => other.add("c"))
    expect(await clock.run(Promise.all([one.add("a"), other.add("b"), later]))).toEqual(["stored", "stored", "stored"])
    expect(batches()).toEqual(["a b c"])
  })

  test("that arrive during a write are the next one, however many they are", async () => {
    const { clock, request, writes, batches } = isolate({ writeMs: 1_000 })
    const later = Array.from({ length: 50 }, (_, n) => clock.sleep(100 + n).then(() => request().add(`${n}`)))
    await clock.run(Promise.all([request().add("a"), ...later]))
    expect(batches()).toEqual(["a", later.map((_, n) => n).join(" ")])
    expect(writes[1]!.atMs).toBeLessThan(2_000)
  })

  test("learn which of them the database refused", async () => {
    const { clock, request, script } = isolate()
    script.push(() => [false, true])
    expect(await clock.run(Promise.all([request().add("a"), request().add("b")]))).toEqual(["stored", "refused"])
  })
})

describe("a batch has a limit of", () => {
  test("entries", async () => {
    const { clock, request, writes } = isolate()
    await clock.run(Promise.all(Array.from({ length: 1_100 }, (_, n) => request().add(`${n}`))))
    expect(writes.map(({ entries }) => entries.length)).toEqual([500, 500, 100])
  })

  test("bytes, and a larger entry is written alone", async () => {
    const { clock, request, batches } = isolate({ bytesOf: (text) => Number(text) * 1_000 })
    await clock.run(Promise.all(["600", "300", "200", "5000", "1"].map((entry) => request().add(entry))))
    expect(batches()).toEqual(["600 300", "200", "5000", "1"])
  })

  test("all waiting bytes: more than these are lost at once", async () => {
    const { clock, request, batches, logged } = isolate({ bytesOf: (text) => Number(text) * 1_000_000 })
    expect(await clock.run(Promise.all([request().add("10"), request().add("7"), request().add("6")]))).toEqual([
      "stored",
      "lost",
      "stored",
    ])
    expect(batches()).toEqual(["10", "6"])
    expect(logged).toMatchObject([{ event: "answers_not_stored", count: 1 }])
  })
})

describe("when the writer's request ends", () => {
  test("before its write, another request writes its entry too", async () => {
    const { clock, request, batches } = isolate()
    let isDead = false
    void request(() => isDead).add("a")
    isDead = true
    expect(await clock.run(request().add("b"))).toBe("stored")
    expect(batches()).toEqual(["a b"])
    expect(clock.now()).toBeLessThan(5_000)
  })

  test("during its write, another request repeats the write", async () => {
    const { clock, request, writes } = isolate({ writeMs: 1_000 })
    let isDead = false
    void request(() => isDead).add("a")
    const other = clock.sleep(500).then(() => {
      isDead = true
      return request().add("b")
    })
    expect(await clock.run(other)).toBe("stored")
    expect(writes).toMatchObject([
      { entries: ["a"], repeated: [] },
      { entries: ["a", "b"], repeated: ["a"] },
    ])
  })

  test("a later request writes what it left", async () => {
    const { clock, memory, request, batches } = isolate()
    void request(() => true).add("a")
    await clock.run(clock.sleep(60_000))
    await clock.run(request().add("b"))
    expect(batches()).toEqual(["a b"])
    expect(memory.waiting).toEqual([])
  })

  test("a slow writer keeps its turn: nothing is written twice", async () => {
    const { clock, request, batches } = isolate({ writeMs: 12_000 })
    await clock.run(Promise.all([request().add("a"), clock.sleep(100).then(() => request().add("b"))]))
    expect(batches()).toEqual(["a", "b"])
  })
})

describe("a write that fails", () => {
  test("because the database does not answer is repeated until it does", async () => {
    const { clock, request, script, writes, logged } = isolate()
    script.push(...Array.from({ length: 5 }, () => () => UNAVAILABLE))
    expect(await clock.run(Promise.all([request().add("a"), request().add("b")]))).toEqual(["stored", "stored"])
    expect(writes.map(({ repeated }) => repeated.length)).toEqual([0, 2, 2, 2, 2, 2])
    expect(logged).toEqual([])
  })

  test("for the rest of the request's background work is logged as lost, by its count", async () => {
    const { clock, memory, request, script, logged } = isolate()
    script.push(...Array.from({ length: 60 }, () => () => UNAVAILABLE))
    expect(await clock.run(Promise.all([request().add("a@b.test"), request().add("c")]))).toEqual(["lost", "lost"])
    expect(clock.now()).toBeLessThanOrEqual(28_000)
    expect(memory.waiting).toEqual([])
    expect(logged.length).toBeGreaterThan(0)
    expect(JSON.stringify(logged)).not.toContain("b.test")
  })

  test("because of one entry loses that entry only", async () => {
    const { clock, request, script, logged } = isolate()
    const answer = (entries: readonly string[]) =>
      entries.includes("bad") ? new Error("a bug") : entries.map(() => false)
    script.push(...Array.from({ length: 20 }, () => answer))
    const outcomes = await clock.run(Promise.all(["a", "b", "bad", "c", "d"].map((entry) => request().add(entry))))
    expect(outcomes).toEqual(["stored", "stored", "lost", "stored", "stored"])
    expect(logged).toEqual([{ event: "answers_not_stored", count: 1, error: "a bug" }])
  })
})
