import fc from "fast-check"
import Database from "libsql"
import { describe, expect, test } from "vitest"
import { PERSONAL_TABLES } from "../../schema/tables/personal-data.ts"
import { parseAddress, parseDomain, type ValidAddress, type ValidDomain } from "../../src/domain/address/parse.ts"
import { addressTerms, domainTerms, type SubjectTerms } from "../../src/domain/compliance/data-subject.ts"
import { DIGESTS } from "../support/stack/planted-person.ts"

const database = new Database(":memory:")
const { address: isMentioned } = PERSONAL_TABLES.find(({ table }) => table === "idempotency")!
const search = database.prepare(`SELECT 1 FROM (SELECT :text AS body) WHERE ${isMentioned}`)
const mentions = (text: string, { mentions, ends, before }: SubjectTerms) =>
  search.get({ text, mentions, ends, before }) !== undefined

const valid = (text: string) => parseAddress(text) as ValidAddress
const termsOf = (email: string) => addressTerms(DIGESTS, valid(email))
const ofDomain = (name: string) => domainTerms(DIGESTS, (parseDomain(name) as ValidDomain).domain)

describe("a mention of an address", () => {
  test.each([
    ["alice@mailbox.test", true],
    ["Alice <Alice@Mailbox.test>", true],
    ['{"email":"alice@mailbox.test"}', true],
    ["mailto:alice@mailbox.test", true],
    ["Write to alice@mailbox.test.", true],
    ["Write to alice@mailbox.test. Or call.", true],
    ["VALUES ('alice@mailbox.test', 1)", true],
    ["malice@mailbox.test", false],
    ["x.alice@mailbox.test", false],
    ["d'alice@mailbox.test", false],
    ["alice@mailbox.test.example", false],
    ["alice@mailbox.testing", false],
    ["alice@mailboxxtest", false],
  ])("%s: %s", async (text, expected) => {
    expect(mentions(text, await termsOf("alice@mailbox.test"))).toBe(expected)
  })

  test.each([
    ["Jörg@Bücher.test", "jörg@bücher.test"],
    ["Jörg@Bücher.test", "JÖRG@BÜCHER.TEST"],
    ["Jörg@Bücher.test", "jörg@xn--bcher-kva.test"],
    ["Jörg@Bücher.test", "jörg@bücher.test".normalize("NFD")],
    ["Иван.Петров@почта.test", "иван.петров@ПОЧТА.test"],
  ])("%s in the spelling %s", async (email, text) => {
    expect(mentions(`<${text}>`, await termsOf(email))).toBe(true)
    expect(mentions(`<${text}>`, await ofDomain(email.split("@")[1]!))).toBe(true)
  })

  test("with a quoted local part is found in JSON, where the quotes are escaped", async () => {
    const email = '"john doe"@mailbox.test'
    expect(mentions(email, await termsOf(email))).toBe(true)
    expect(mentions(JSON.stringify({ email }), await termsOf(email))).toBe(true)
  })

  test("is found for any local part", async () => {
    const local = fc.stringMatching(/^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/)
    await fc.assert(
      fc.asyncProperty(local, async (name) => {
        const own = await termsOf(`${name}@mailbox.test`)
        expect(mentions(`<${name}@mailbox.test>`, own)).toBe(true)
        expect(mentions(`<x${name}@mailbox.test>`, own)).toBe(false)
      }),
      { numRuns: 50 },
    )
  })
})

test("a mention of a domain includes only addresses at that domain", async () => {
  const own = await ofDomain("mailbox.test")
  expect(mentions("x <bob@mailbox.test>", own)).toBe(true)
  expect(mentions("bob@sub.mailbox.test", own)).toBe(false)
  expect(mentions("mailbox.test", own)).toBe(false)
})

test("only a text that contains the address is compared with the patterns, which take thirty times as long", async () => {
  const own = await termsOf("alice@mailbox.test")
  // SQLite reports an error when it uses a pattern of more than 50,000 characters.
  const mentions = JSON.stringify([["alice@mailbox.test", "x".repeat(60_000)]])
  const find = (email: string) => search.get({ text: `"${email}"`, ...own, mentions })
  expect(find("user1@mailbox.test")).toBeUndefined()
  expect(() => find("alice@mailbox.test")).toThrow("pattern too complex")
})
