import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { KEEPS_PLUS, preservePlus } from "../../../src/http/request-middleware.ts"

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
}
interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[]
}

const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> }
const parameters = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ parameters = [] }) => parameters.filter((one) => one.in === "query"))

/** Parameters with free text that never holds an address. In them "+" is a space. */
const NEVER_AN_ADDRESS = [
  "account_id",
  "actor", // an id, or the name of a part
  "api_key",
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "company_name",
  "cursor",
  "domain",
  "email_column",
  "encoding",
  "endpoint_id",
  "event_id",
  "first_name",
  "last_name",
  "name",
  "redirect_uri",
  "resource",
  "response_type",
  "scope",
  "sheet",
  "source",
  "state",
  "subject", // an id or a keyed hash
  "t",
  "url",
  "webhook_url",
  "with",
]

test("each query parameter with free text is known to hold an address, or never to hold one", () => {
  const hasPlus = ["a+b@mailbox.test", "https://mailbox.test/?a+b", "2026-11-01T10:20:30+02:00"]
  const isFree = ({ schema }: (typeof parameters)[number]) => {
    const pattern = new RegExp(schema.pattern ?? "", "u")
    return [schema.type].flat().includes("string") && !schema.enum && hasPlus.some((text) => pattern.test(text))
  }
  const free = [...new Set(parameters.filter(isFree).map(({ name }) => name))]
  expect(free.toSorted()).toEqual([...KEEPS_PLUS, ...NEVER_AN_ADDRESS].toSorted())
})

describe("the query", () => {
  const at = (query: string) => new URL(preservePlus(new Request(`https://a.test/x?${query}`)).url).searchParams

  test.each([...KEEPS_PLUS])("keeps the plus in %s", (name) => {
    expect(at(`${name}=a+b%40c.test`).get(name)).toBe("a+b@c.test")
    expect(at(`x=1&${name}=a%2Bb+c%20d`).get(name)).toBe("a+b+c d")
  })

  test.each(NEVER_AN_ADDRESS)("reads a plus in %s as a space", (name) => {
    expect(at(`${name}=a+b&email=a+b`).get(name)).toBe("a b")
    expect(at(`${name}=a+b&email=a+b`).get("email")).toBe("a+b")
  })

  test("keeps the plus in any number and order of parameters, also with an encoded name", () => {
    const name = fc.constantFrom(...KEEPS_PLUS, ...NEVER_AN_ADDRESS, "%65mail", "emails", "", "toString")
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const found = [...at(names.map((one) => `${one}=a+b`).join("&"))]
        expect(found).toEqual(
          names.map((one) => [decodeURIComponent(one), KEEPS_PLUS.has(decodeURIComponent(one)) ? "a+b" : "a b"]),
        )
      }),
    )
  })
})
