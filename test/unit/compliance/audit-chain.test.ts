import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type AuditEntry,
  type AuditRow,
  CHAIN_START,
  canonicalJson,
  findBreak,
  linkEntry,
} from "../../../src/domain/compliance/audit-chain.ts"

const entry = (n: number): AuditEntry => ({
  actor: "admin",
  action: "key.created",
  subject: `kid_${n}`,
  details: { route: "POST /keys", n },
  at: 1_000 + n,
})

async function chainOf(length: number): Promise<AuditRow[]> {
  const rows: AuditRow[] = []
  for (let n = 0; n < length; n++) rows.push(await linkEntry(entry(n), rows.at(-1) ?? CHAIN_START))
  return rows
}

describe("the audit chain", () => {
  test("is valid as written, also from the middle", async () => {
    const rows = await chainOf(6)
    expect(await findBreak(rows, CHAIN_START)).toBeNull()
    expect(await findBreak(rows.slice(3), rows[2]!)).toBeNull()
    expect(await findBreak([], CHAIN_START)).toBeNull()
  })

  const TAMPERINGS: Readonly<Record<string, (row: AuditRow) => AuditRow>> = {
    actor: (row) => ({ ...row, actor: "acc_1" }),
    action: (row) => ({ ...row, action: "key.revoked" }),
    subject: (row) => ({ ...row, subject: "" }),
    time: (row) => ({ ...row, at: row.at + 1 }),
    details: (row) => ({ ...row, details: { ...row.details, n: 99 } }),
    "added detail": (row) => ({ ...row, details: { ...row.details, x: null } }),
    number: (row) => ({ ...row, seq: row.seq + 1 }),
    hash: (row) => ({ ...row, hash: row.prevHash }),
    "previous hash": (row) => ({ ...row, prevHash: row.hash }),
  }
  test.each(Object.entries(TAMPERINGS))("reports a changed %s at its row", async (_, tamper) => {
    const rows = await chainOf(6)
    expect(await findBreak(rows.with(3, tamper(rows[3]!)), CHAIN_START)).toBe(4)
  })

  test("reports a row rewritten with a matching hash at the next row", async () => {
    const rows = await chainOf(6)
    const forged = await linkEntry({ ...rows[3]!, actor: "unknown" }, rows[2]!)
    expect(await findBreak(rows.with(3, forged), CHAIN_START)).toBe(5)
  })

  test("reports a removed, a repeated and a swapped row", async () => {
    const rows = await chainOf(6)
    expect(await findBreak(rows.toSpliced(2, 1), CHAIN_START)).toBe(3)
    expect(await findBreak(rows.toSpliced(2, 0, rows[2]!), CHAIN_START)).toBe(4)
    expect(await findBreak([rows[1]!, rows[0]!, ...rows.slice(2)], CHAIN_START)).toBe(1)
  })
})

test("canonical JSON does not depend on the order of members, and parses to the same object", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
      (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())
        expect(canonicalJson(reversed)).toBe(canonicalJson(object))
        expect(JSON.parse(canonicalJson(object))).toEqual({ ...object })
      },
    ),
  )
  expect(canonicalJson({ b: [1, { d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[1,{"c":null,"d":1}]}')
})
