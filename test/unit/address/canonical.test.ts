import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalMailbox, MAILBOX_RULES } from "../../../src/domain/address/canonical.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"

function canonical(text: string): string {
  const parsed = parseAddress(text)
  if (!parsed.ok) throw new Error(`${text}: ${parsed.reason}`)
  return canonicalMailbox(parsed)
}

const SAME_MAILBOX: readonly (readonly [canonical: string, ...spellings: string[]])[] = [
  // Gmail help: dots, tags, googlemail.com.
  [
    "johndoe@gmail.com",
    "John.Doe@Gmail.com",
    "j.o.h.n.d.o.e@googlemail.com",
    "johndoe+news@gmail.com",
    "john.doe+a+b@gmail.com",
  ],
  // Microsoft: tags, but dots and domains count.
  ["john.doe@outlook.com", "john.doe+x@outlook.com", "JOHN.DOE@outlook.com"],
  ["jd@hotmail.co.uk", "jd+x@hotmail.co.uk"],
  ["jd@live.nl", "jd+x@live.nl"],
  ["jd@msn.com", "jd+x@msn.com"],
  // Apple 118230.
  ["jd@icloud.com", "jd@me.com", "jd@mac.com", "jd+shop@me.com"],
  // Fastmail help 360060591053.
  ["jd@fastmail.com", "jd+x@fastmail.com", "shop@jd.fastmail.com", "a.b+c@jd.fastmail.com"],
  ["jd@fastmail.fm", "shop@jd.fastmail.fm"],
  // Yahoo disposable addresses: the base name is not a mailbox.
  ["base-@yahoo.com", "base-shop@yahoo.com", "base-news@yahoo.com", "BASE-a-b@yahoo.com"],
  // Proton: change-username, addresses-and-aliases.
  ["johndoe@proton.me", "john.doe@proton.me", "john_doe@protonmail.com", "john-doe@pm.me", "JohnDoe+x@protonmail.ch"],
  // Yandex: domains are aliases, dot and hyphen are equivalent.
  ["john-doe@yandex.ru", "john.doe@yandex.ru", "john-doe@ya.ru", "john.doe+x@yandex.com", "john.doe@yandex.kz"],
  // Other domains: only case is folded. IDN domains compare as A-labels.
  ["john.doe+tag@example.com", "John.Doe+Tag@EXAMPLE.com"],
  // The capital letter is two characters, the small letter is one.
  ["\u01f0@example.com", "J\u030c@example.com", "\u01f0@example.com"],
  ["jd@xn--bcher-kva.example", "jd@bücher.example", "JD@BÜCHER.example"],
]

const DIFFERENT_MAILBOXES: readonly (readonly [string, string])[] = [
  ["john.doe@outlook.com", "johndoe@outlook.com"],
  ["jd@outlook.com", "jd@hotmail.com"],
  ["jd@fastmail.com", "jd@fastmail.fm"],
  // A hyphen may replace an underscore there.
  ["shop@j-d.fastmail.com", "j-d@fastmail.com"],
  ["base@yahoo.com", "base-shop@yahoo.com"],
  ["base-shop@yahoo.com", "base-shop@yahoo.de"],
  ["john.doe@yahoo.com", "johndoe@yahoo.com"],
  ["a-b@yahoo.co.jp", "a-c@yahoo.co.jp"],
  ["jd+x@yahoo.com", "jd@yahoo.com"],
  ["j.d@icloud.com", "jd@icloud.com"],
  ["john.doe@yandex.ru", "johndoe@yandex.ru"],
  // A Workspace domain is hosted by Gmail, but its dots are significant.
  ["john.doe@company.example", "johndoe@company.example"],
  ["jd+x@company.example", "jd@company.example"],
  ["jd+x@mail.ru", "jd@mail.ru"],
  ["jd+x@gmx.de", "jd@gmx.de"],
  ["shop@jd.gmail.com", "jd@gmail.com"],
  ["shop@jd.example.com", "jd@example.com"],
  ["shop@a.jd.fastmail.com", "a@fastmail.com"],
  ['"john doe"@gmail.com', "johndoe@gmail.com"],
]

describe("canonicalMailbox", () => {
  it.each(SAME_MAILBOX)("%s", (expected, ...spellings) => {
    expect(spellings.map(canonical)).toEqual(spellings.map(() => expected))
    expect(canonical(expected)).toBe(expected)
  })

  it.each(DIFFERENT_MAILBOXES)("distinguishes %s and %s", (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other))
  })

  it.each(["+tag@gmail.com", "-@yahoo.com", "---@proton.me", "+@icloud.com", "_._@proton.me", "-@pm.me"])(
    "does not empty the local part of %s",
    (text) => {
      expect(canonical(text)).toMatch(/^[^@]+@/)
    },
  )

  it("has a source for every rule and each domain only once", () => {
    const domains = MAILBOX_RULES.flatMap((rule) => rule.domains)
    expect(new Set(domains).size).toBe(domains.length)
    expect(MAILBOX_RULES.filter((rule) => !/^https?:\/\//.test(rule.source))).toEqual([])
  })
})

const atom = fc.stringMatching(/^[A-Za-z0-9+_-]{1,8}$/)
const local = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join("."))
const ruled = fc.constantFrom(...MAILBOX_RULES.flatMap((rule) => rule.domains), "jd.fastmail.com", "x.jd.fastmail.fm")
const unknown = fc.constantFrom(
  "example.com",
  "company.example",
  "mail.ru",
  "gmx.de",
  "gmail.com.example",
  "x.gmail.com",
)

describe("canonicalMailbox, for every address", () => {
  it("is a well-formed address and its own canonical form", () => {
    fc.assert(
      fc.property(local, fc.oneof(ruled, unknown), (name, domain) => {
        const once = canonical(`${name}@${domain}`)
        expect(canonical(once)).toBe(once)
      }),
    )
  })

  it("distinguishes all mailboxes of an unknown domain, except for case", () => {
    fc.assert(
      fc.property(local, local, unknown, (one, other, domain) => {
        const isSame = one.toLowerCase() === other.toLowerCase()
        expect(canonical(`${one}@${domain}`) === canonical(`${other}@${domain}`)).toBe(isSame)
      }),
    )
  })

  it("never merges names that differ in a letter or digit", () => {
    const bare = (name: string) => name.toLowerCase().split("+")[0]!.replace(/[._-]/g, "")
    const plain = fc.stringMatching(/^[a-z][a-z0-9._]{0,8}[a-z0-9]$/).filter((name) => !name.includes(".."))
    fc.assert(
      fc.property(plain, plain, ruled, (one, other, domain) => {
        fc.pre(bare(one) !== bare(other) && !domain.endsWith("jd.fastmail.com"))
        expect(canonical(`${one}@${domain}`)).not.toBe(canonical(`${other}@${domain}`))
      }),
    )
  })
})
