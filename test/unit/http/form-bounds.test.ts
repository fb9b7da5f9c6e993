import { describe, expect, test } from "vitest"
import { boundaryOf, formProblem } from "../../../src/http/upload-body.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nvalue\r\n`

test.each([
  ["multipart/form-data; boundary=x", "x"],
  ["multipart/form-data; charset=utf-8; boundary=----WebKitFormBoundaryA1", "----WebKitFormBoundaryA1"],
  ['multipart/form-data; boundary="a b"; charset=utf-8', "a b"],
  ["multipart/form-data; x-boundary=y", null],
  ["multipart/form-data", null],
  ["multipart/form-data; boundary=", null],
  [`multipart/form-data; boundary=${"x".repeat(71)}`, null],
  ['multipart/form-data; boundary="a\\"b"', null],
])("the boundary of %j is %j", (contentType, boundary) => {
  expect(boundaryOf(contentType)).toBe(boundary)
})

describe("a form", () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => part(`f${n}`)).join("")
  const content = "a@b.test\r\n".repeat(60_000)
  test.each([
    ["of one part", `${part("a")}--x--\r\n`, null],
    ["with line feeds only", '--x\nContent-Disposition: form-data; name="a"\n\nvalue\n--x--\n', null],
    ["of 20 parts", `${many(20)}--x--\r\n`, null],
    ["of 30 parts", `${many(30)}--x--\r\n`, "the form has more than 20 parts"],
    ["of a long part", `--x\r\nA: b\r\n\r\n${content}\r\n--x--`, null],
    ["of long parts", `--x\r\nA: b\r\n\r\n${content}\r\n`.repeat(25), "the form has more than 20 parts"],
    ["with long headers", `--x\r\nA: ${"b".repeat(9_000)}\r\n\r\nvalue\r\n--x--`, "do not end within 8192 bytes"],
    ["with headers that do not end", `--x\r\n${"A: b\r\n".repeat(100)}`, "do not end within 8192 bytes"],
  ])("%s", async (_, text, problem) => {
    const found = await formProblem(bytesOf(text), "x")
    if (problem === null) expect(found).toBeNull()
    else expect(found).toContain(problem)
  })

  test("is found across the pieces of the body", async () => {
    const boundary = "boundary-of-forty-characters-0123456789ab"
    for (let shift = 0; shift < 60; shift++) {
      const filler = "x".repeat(262_144 - shift)
      const text = `${filler}--${boundary}\r\nno end of headers${"y".repeat(9_000)}`
      expect(await formProblem(bytesOf(text), boundary)).toContain("do not end within 8192 bytes")
    }
  })
})
