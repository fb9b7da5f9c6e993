import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ListReader } from "../../../src/domain/lists/read-list.ts"

/** Reads a text in pieces of the given sizes, then the rest in one piece. */
function read(text: string, sizes: readonly number[] = []) {
  const reader = new ListReader("emails")
  const items: string[] = []
  let at = 0
  for (const size of [...sizes, text.length]) {
    items.push(...reader.push(text.slice(at, at + size)))
    at += size
  }
  return { items, ...reader.end() }
}

describe("a list", () => {
  test("has the same items as with JSON.parse, in pieces of any size", () => {
    const option = fc.jsonValue().filter((value) => JSON.stringify(value).length < 500)
    const body = fc.record({
      before: fc.dictionary(
        fc.string().filter((key) => key !== "emails" && key !== "__proto__"),
        option,
        { maxKeys: 3 },
      ),
      emails: fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 20 }),
      indent: fc.constantFrom("", " ", "\t", "\r\n"),
    })
    fc.assert(
      fc.property(body, fc.array(fc.nat(7), { maxLength: 400 }), ({ before, emails, indent }, sizes) => {
        const text = JSON.stringify({ ...before, emails, after: [1, "]}", { a: "," }] }, null, indent)
        const answer = read(text, sizes)
        const { emails: items, ...options } = JSON.parse(text) as { emails: string[] }
        expect(answer).toEqual({ ok: true, items, options })
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ["escapes", String.raw`{"emails":["\u00e9\n\"\\\/@x.test"]}`, ['é\n"\\/@x.test']],
    ["a surrogate pair in two escapes", String.raw`{"emails":["\ud83d\ude00@x.test"]}`, ["😀@x.test"]],
    ["the name of the list in escapes", String.raw`{"em\u0061ils":["a@x.test"]}`, ["a@x.test"]],
    ["white space everywhere", ' { "emails" : [ "a" , "b" ] } \n', ["a", "b"]],
  ])("may have %s", (_, text, items) => {
    expect(read(text, [1, 2, 3])).toMatchObject({ ok: true, items })
  })

  test("stores only the beginning of a very long address", () => {
    expect(read(`{"emails":["${"a".repeat(5_000)}"]}`, [10, 700]).items[0]!.length).toBeLessThanOrEqual(2_000)
  })

  test("a __proto__ among the options stays a plain field", () => {
    const { options } = read('{"__proto__":{"smtp":false},"emails":["a"]}') as { options?: Record<string, unknown> }
    expect((options as { smtp?: unknown }).smtp).toBeUndefined()
  })
})

describe("a body that is not a list is rejected with the location", () => {
  test.each([
    ["", "json_invalid", []],
    ["null", "invalid_type", []],
    ["[]", "invalid_type", []],
    ["1", "invalid_type", []],
    ["{", "json_invalid", []],
    ["{}", "missing", ["emails"]],
    ['{"emails":[]}', "too_small", ["emails"]],
    ['{"emails":null}', "invalid_type", ["emails"]],
    ['{"emails":"a@x.test"}', "invalid_type", ["emails"]],
    ['{"emails":{"0":"a"}}', "invalid_type", ["emails"]],
    ['{"emails":["a",1]}', "invalid_type", ["emails", 1]],
    ['{"emails":["a",null]}', "invalid_type", ["emails", 1]],
    ['{"emails":[["a"]]}', "invalid_type", ["emails", 0]],
    ['{"emails":["a",]}', "json_invalid", []],
    ['{"emails":["a"],}', "json_invalid", []],
    ['{"emails":["a" "b"]}', "json_invalid", []],
    ['{"emails":["a\nb"]}', "json_invalid", []],
    [String.raw`{"emails":["\x41"]}`, "json_invalid", []],
    [String.raw`{"emails":["\u00g1"]}`, "json_invalid", []],
    ['{"emails":["a"]}}', "json_invalid", []],
    ['{"emails":["a"]} x', "json_invalid", []],
    ['{"emails":["a"],"smtp":tru}', "json_invalid", []],
    ['{"emails":["a"],"smtp":}', "json_invalid", []],
    ['{"emails":["a"],"emails":["b"]}', "invalid_type", ["emails"]],
    [`{"x":"${"y".repeat(30_000)}","emails":["a"]}`, "too_big", ["x"]],
  ])("%s", (text, type, field) => {
    for (const sizes of [[], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]])
      expect(read(text, sizes)).toMatchObject({ ok: false, problem: { type, field } })
  })

  test("never throws, for any input", () => {
    const noise = fc.array(fc.constantFrom(...'{}[],:"\\u00e9tfn-1 \n', "emails", '"emails":[', '"a"'), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(noise, (parts) => {
        const text = parts.join("")
        const answer = read(text, [3, 1, 4, 1, 5])
        if (answer.ok) expect(JSON.parse(text)).toHaveProperty("emails", answer.items)
      }),
      { numRuns: 2_000 },
    )
  })
})
