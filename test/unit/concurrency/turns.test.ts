import { expect, test } from "vitest"
import { FairSlots } from "../../../src/concurrency/fair-limiter.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

const OPTIONS = { waitMs: 20_000, waiting: 2, leaseMs: 30_000 }
const STEP_MS = 5_000

/** Files that take `steps` of five seconds, and renew their turns in each. */
function files() {
  const clock = virtualClock(0)
  const turns = new FairSlots(OPTIONS)
  const events: string[] = []
  const read = (key: string, name: string, steps = 1) =>
    turns.run(clock, key, async (renew) => {
      events.push(`${name} begins`)
      for (let step = 0; step < steps; step++) {
        renew()
        await clock.sleep(STEP_MS)
      }
      events.push(`${name} ends`)
      return name
    })
  return { clock, turns, events, read }
}

test("the callers of a key come one after the other, and those of another key at once", async () => {
  const { clock, events, read } = files()
  const answers = await clock.run(Promise.all([read("a", "a1"), read("a", "a2"), read("b", "b1")]))
  expect(answers).toEqual([{ value: "a1" }, { value: "a2" }, { value: "b1" }])
  expect(events.slice(0, 3)).toEqual(["a1 begins", "b1 begins", "a1 ends"])
  expect(events.filter((event) => event.startsWith("a"))).toEqual(["a1 begins", "a1 ends", "a2 begins", "a2 ends"])
})

test("a caller is refused at once when too many wait", async () => {
  const { clock, events, read } = files()
  const names = ["a1", "a2", "a3", "a4"]
  const answers = await clock.run(Promise.all(names.map((name) => read("a", name))))
  expect(answers).toEqual([{ value: "a1" }, { value: "a2" }, { value: "a3" }, null])
  expect(events).not.toContain("a4 begins")
})

test("a caller is refused after the time to wait, while the other one renews its turn", async () => {
  const { clock, events, read } = files()
  expect(await clock.run(Promise.all([read("a", "a1", 10), read("a", "a2")]))).toEqual([{ value: "a1" }, null])
  expect(events).toEqual(["a1 begins", "a1 ends"])
})

test("a turn of a request that the platform ended is free after its lease", async () => {
  const { clock, turns, events, read } = files()
  void turns.run(clock, "a", () => new Promise(() => undefined))
  await clock.run(clock.sleep(OPTIONS.leaseMs))
  await clock.run(read("a", "a1"))
  expect(events).toEqual(["a1 begins", "a1 ends"])
})

test("a turn is free after work that failed", async () => {
  const { clock, turns, read } = files()
  const failing = turns.run(clock, "a", () => Promise.reject(new Error("broken file")))
  await expect(failing).rejects.toThrow("broken file")
  expect(await clock.run(read("a", "a1"))).toEqual({ value: "a1" })
})
