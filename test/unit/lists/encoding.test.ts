import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { findEncoding } from "../../../src/domain/lists/uploaded-file.ts"

const bytes = (...values: number[]) => new Uint8Array(values)
const utf8 = (text: string) => new TextEncoder().encode(text)
const encodingOf = (text: Uint8Array) => findEncoding(text)?.encoding ?? null

describe("the encoding", () => {
  test.each([
    [bytes(0xef, 0xbb, 0xbf, 0x61), { encoding: "utf-8", bomLength: 3 }],
    [bytes(0xff, 0xfe, 0x61, 0), { encoding: "utf-16le", bomLength: 2 }],
    [bytes(0xfe, 0xff, 0, 0x61), { encoding: "utf-16be", bomLength: 2 }],
    [bytes(0x61, 0, 0x62, 0, 0x0a, 0), { encoding: "utf-16le", bomLength: 0 }],
    [bytes(0, 0x61, 0, 0x62, 0, 0x0a), { encoding: "utf-16be", bomLength: 0 }],
    [bytes(0x4a, 0x6f, 0x73, 0xe9), { encoding: "windows-1252", bomLength: 0 }],
    [bytes(0x4a, 0xc3, 0xa9), { encoding: "utf-8", bomLength: 0 }],
    [bytes(0xc3), { encoding: "windows-1252", bomLength: 0 }],
    [bytes(), { encoding: "utf-8", bomLength: 0 }],
  ])("case %#", (sample, found) => {
    expect(findEncoding(sample)).toEqual(found)
  })

  test.each(["A§B GmbH", "Foo®Bar", "N°5 NºA", "ÅÄÖ AB", "VanÉck", "5 m², 3 €"])("of %j is Windows-1252", (text) => {
    expect(encodingOf(new Uint8Array(Buffer.from(`name,email\n${text},a@b.test\n`, "latin1")))).toBe("windows-1252")
  })

  test.each([
    [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0],
    [0, 0, 0xfe, 0xff, 0, 0, 0, 0x61],
  ])("of UTF-32 is not guessed: %#", (...mark) => {
    expect(findEncoding(bytes(...mark))).toBeNull()
  })

  test("of any UTF-8 text is UTF-8, at any position of the piece boundaries", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 50 }), fc.nat(7), (text, shift) => {
        expect(encodingOf(utf8(`${"a".repeat(65_530 + shift)}é${text}`))).toBe("utf-8")
      }),
      { numRuns: 20 },
    )
  })

  test("of a UTF-8 text stays UTF-8 when it is cut anywhere, or has one damaged byte", () => {
    const whole = utf8(
      "email,note\nalice@bücher.test,läuft\nbob@mailbox.test,Zoë €5 山田\ncarol@mailbox.test,München\n",
    )
    const second = whole.indexOf(0xc3, whole.indexOf(0xc3) + 1) + 2
    for (let end = second; end < whole.length; end++)
      expect(encodingOf(whole.slice(0, end)), `cut at ${end}`).toBe("utf-8")
    for (let at = 0; at < whole.length; at++) expect(encodingOf(whole.with(at, 0xfc)), `damaged at ${at}`).toBe("utf-8")
  })
})

/** Lines of the file: a label, the encoding that is found or "none", and the text in hex. */
const SAMPLES = readFileSync(new URL("./encodings.tsv", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("\t") as [label: string, found: string, hex: string])

describe("a list without a mark", () => {
  test.each(SAMPLES)("in %s is found as %s", (_, found, hex) => {
    const text = Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16))
    expect(encodingOf(text) ?? "none").toBe(found)
  })
})
