import { afterEach, expect, test } from "vitest"
import { readReferenceData } from "../../../scripts/build/reference-data.ts"
import {
  decodeReferenceFile,
  encodeReferenceFile,
  loadReferenceData,
} from "../../../src/adapters/reference/reference-file.ts"
import {
  hasReferenceData,
  type ReferenceData,
  referenceBytes,
  referenceWords,
  SCRIPTS_WITH_NAMES,
  SPELLING_TABLES,
  setReferenceData,
} from "../../../src/domain/reference/tables.ts"

const NONE = null as unknown as ReferenceData

afterEach(() => setReferenceData(readReferenceData()))

test("a file gives back the tables that it was made of", () => {
  const tables = new Map([
    ["a.txt", new TextEncoder().encode("one two\n")],
    ["empty", new Uint8Array()],
    ["b.bin", Uint8Array.of(10, 0, 255)],
  ])
  expect(decodeReferenceFile(encodeReferenceFile(tables))).toEqual(tables)
})

test("a cut file is refused", () => {
  const file = encodeReferenceFile(new Map([["a.txt", new Uint8Array(9)]]))
  expect(() => decodeReferenceFile(file.subarray(0, -1))).toThrow(/bytes instead of/)
})

test("the repository has every table that the code names", () => {
  const names = ["disposable.fuse", "education.fuse", "free-domains.txt", "top-level-domains.txt"]
  const scripts = SCRIPTS_WITH_NAMES.map((script) => `names/${script}.txt`)
  const spellings = SPELLING_TABLES.map((table) => `spellings/${table}.txt`)
  expect([...readReferenceData().keys()].toSorted()).toEqual(
    [...names, "names/Latin-first.txt", "names/Latin-last.txt", ...scripts, ...spellings].toSorted(),
  )
})

test("a table is never empty because it is not loaded: its use throws", () => {
  setReferenceData(NONE)
  expect(() => referenceBytes("disposable.fuse")).toThrow(/not loaded/)
  expect(() => referenceWords("free-domains.txt")).toThrow(/not loaded/)
})

test("the data is fetched once, and again after a failure", async () => {
  setReferenceData(NONE)
  const file = encodeReferenceFile(readReferenceData())
  const answers = [new Response("gone", { status: 404 }), new Response(file)]
  let calls = 0
  const assets = { fetch: async () => answers[calls++]! }
  await expect(loadReferenceData(assets, "reference/x.bin")).rejects.toThrow(/404/)
  expect(hasReferenceData()).toBe(false)
  await loadReferenceData(assets, "reference/x.bin")
  await loadReferenceData(assets, "reference/x.bin")
  expect([calls, referenceWords("free-domains.txt").includes("1funplace.com")]).toEqual([2, true])
})
