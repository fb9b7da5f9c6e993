import { expect, test } from "vitest"
import { appendInGroup, newAuditQueue, type WriteGroup } from "../../../src/adapters/store/compliance/audit.ts"
import type { AuditRow } from "../../../src/domain/compliance/audit-chain.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

const entry = (n: number) => ({ actor: "admin", action: "admin.call", subject: `${n}`, details: {}, at: n }) as const

/** A trail whose writes take 50 ms. */
function trail() {
  const [clock, queue] = [virtualClock(0), newAuditQueue()]
  const rows: AuditRow[] = []
  const groups: number[] = []
  const write: WriteGroup = async (entries) => {
    groups.push(entries.length)
    await clock.sleep(50)
    // Without real hashes: those take time that the virtual clock does not know of.
    const added = entries.map((one, n) => ({ ...one, seq: rows.length + n + 1, prevHash: "", hash: "" }))
    rows.push(...added)
    return added
  }
  const append = (n: number, writing = write) => appendInGroup({ queue, clock }, entry(n), writing)
  return { clock, rows, groups, write, append }
}

test("800 entries at once are a few writes, one after the other, and each caller gets its own row", async () => {
  const { clock, groups, append } = trail()
  const rows = await clock.run(Promise.all(Array.from({ length: 800 }, (_, n) => append(n))))
  expect(rows.map(({ subject, seq }) => [subject, seq])).toEqual(rows.map((_, n) => [`${n}`, n + 1]))
  expect(groups).toEqual([1, 200, 200, 200, 199])
})

test("the error of a write is the error of each of its entries, and later entries are written", async () => {
  const { clock, write, rows, append } = trail()
  const broken = async () => {
    await clock.sleep(50)
    throw new Error("the store does not answer")
  }
  const outcomes = Promise.allSettled([append(0, broken), append(1, broken), append(2, broken)])
  expect((await clock.run(outcomes)).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
  await clock.run(append(3, write))
  expect(rows.map(({ subject }) => subject)).toEqual(["3"])
})

test("when the platform ended the writing request, another one writes", async () => {
  const { clock, rows, append } = trail()
  void append(0, () => new Promise(() => undefined)).catch(() => undefined)
  await clock.run(Promise.all([append(1), append(2)]))
  expect(rows.map(({ subject }) => subject).toSorted()).toEqual(["1", "2"])
})
