import { describe, expect, it } from "vitest"
import { cacheKey } from "../../../src/domain/address/address-forms.ts"
import { parseAddress, parseDomain, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

function valid(input: string): ValidAddress {
  const address = parseAddress(input)
  if (!address.ok) throw new Error(`${input} was refused: ${address.reason}`)
  return address
}

describe("a valid address", () => {
  it("is taken apart, with only the domain in lower case", () => {
    expect(valid("John.Doe+News@Mail.Example.CO.UK")).toEqual({
      ok: true,
      local: "John.Doe+News",
      domain: "mail.example.co.uk",
      domainUnicode: "mail.example.co.uk",
      normalized: "John.Doe+News@mail.example.co.uk",
      tld: "uk",
      isQuoted: false,
      needsSmtpUtf8: false,
      mixedScript: false,
      repaired: [],
    })
  })

  it("is sent with the domain in A-labels and the local part in NFC", () => {
    expect(valid("Jose\u0301@Bu\u0308cher.XN--P1AI")).toEqual({
      ok: true,
      local: "José",
      domain: "xn--bcher-kva.xn--p1ai",
      domainUnicode: "bücher.рф",
      normalized: "José@xn--bcher-kva.xn--p1ai",
      tld: "xn--p1ai",
      isQuoted: false,
      needsSmtpUtf8: true,
      mixedScript: false,
      repaired: [],
    })
  })

  it.each([
    ['"john.doe"@x.com', "john.doe@x.com", false],
    ['"jo\\hn"@x.com', "john@x.com", false],
    ['"josé"@x.com', "josé@x.com", false],
    ['"john doe"@x.com', '"john doe"@x.com', true],
    ['"john\\ doe"@x.com', '"john doe"@x.com', true],
    ['"john..doe"@x.com', '"john..doe"@x.com', true],
    ['".john"@x.com', '".john"@x.com', true],
    ['"a\\"b\\\\c\\d"@x.com', '"a\\"b\\\\cd"@x.com', true],
    ['""@x.com', '""@x.com', true],
    ['"a@b"@x.com', '"a@b"@x.com', true],
  ])("has only the required quotes: %s", (input, normalized, isQuoted) => {
    expect(valid(input)).toMatchObject({ normalized, isQuoted })
  })

  it.each([
    ["user@example.com.", "example.com"],
    ["user@例え。jp。", "xn--r8jz45g.jp"],
    ["user@ＥＸＡＭＰＬＥ.com", "example.com"],
    ["user@faß.de", "xn--fa-hia.de"],
  ])("has the domain in A-label form: %s", (input, domain) => {
    expect(valid(input).domain).toBe(domain)
  })

  it.each([
    ["user@раypal.com", true],
    ["user@xn--ypal-43d9g.com", true],
    ["user@аррӏе.com", false],
    ["user@googlе.com", true],
    ["user@αbc.com", true],
    ["user@東京タワーの.jp", false],
    ["user@abc日本ひらカタ.jp", false],
    ["user@한국abc漢.kr", false],
    ["user@пример.com", false],
    ["user@bücher-24.de", false],
    ["user@☕.us", false],
    ["аlice@example.com", true],
    ['"аli ce"@example.com', true],
    ["bob.раypal@example.com", true],
    ["αlice@пример.com", true],
    ["алиса@example.com", false],
    ["алиса2026@example.com", false],
    ["алиса.smith+news@example.com", false],
    ["αλίκη_бob@example.com", true],
    ["田中たろうタロウtaro@example.com", false],
    ["李小龍ㄌㄧ@example.com", false],
    ["김철수kim@example.com", false],
    ["김たろう@example.com", true],
    ["zoë.o'neil-2@example.com", false],
    ["☕bob@example.com", false],
    ["alice@раypal.com", true],
  ])("%s mixes scripts: %s", (input, mixedScript) => {
    expect(valid(input).mixedScript).toBe(mixedScript)
  })
})

describe("a malformed address", () => {
  it.each([
    ["a b@x.com", 1, "white_space"],
    ["a..b@x.com", 2, "double_dot"],
    ["a.@x.com", 2, "trailing_dot"],
    ["ab@x_y.com", 4, "bad_domain_character"],
    ["ab@x.-y.com", 5, "bad_hyphen"],
    ["ab@x.y-.com", 6, "bad_hyphen"],
    ["ab@xy--z.com", 5, "bad_hyphen"],
    ["ab@x..com", 5, "empty_label"],
    ["ab@x..", 5, "empty_label"],
    ["ab@", 3, "empty_domain"],
    ["ab@x", 4, "single_label"],
    ["ab@x.12", 5, "numeric_tld"],
    ["ab@1.2.3.4", 9, "ip_address"],
    ["ab@[1.2.3.4]", 3, "address_literal"],
    ["ab", 2, "no_at_sign"],
    ["ab@c@d.com", 4, "at_sign_in_domain"],
    [" \n", 0, "empty"],
    ["  a..b@x.com\t", 4, "double_dot"],
    ["mailto:a..b@x.com", 9, "double_dot"],
    [" ab", 3, "no_at_sign"],
    ['"ab@x.com', 0, "unclosed_quote"],
    ['"a"b@x.com', 3, "misplaced_quote"],
    ["😀\u200b@x.com", 2, "invisible_character"],
    ["jos\ufffd@x.com", 3, "not_a_character"],
    ["ab@ü.xn--a.com", 5, "bad_idn_label"],
    ["ab@x。-ü.com", 5, "bad_idn_label"],
    [`ab@x。${"ü".repeat(60)}.com`, 5, "label_too_long"],
    ["ab@ü.com©", 5, "bad_idn_label"],
    ["a=\u0338@x.com", undefined, undefined],
    ["ab\u037e@x.com", 2, "bad_local_character"],
    ["e\u0301\u037e@x.com", 2, "bad_local_character"],
  ])("%j: at %s, %s", (input, position, reason) => {
    const address = parseAddress(input)
    expect(address.ok).toBe(reason === undefined)
    if (!address.ok) expect(address).toMatchObject({ position, reason, input })
  })

  it("differs from an address literal, which is valid but cannot be verified", () => {
    expect(parseAddress("a@[IPv6:2001:db8::1]")).toMatchObject({ reason: "address_literal", isAddressLiteral: true })
    expect(parseAddress("a@[ipv6:2001:db8::1]")).toMatchObject({ reason: "address_literal", isAddressLiteral: true })
    expect(parseAddress("a@[IPv6:fe80::1%eth0]")).toMatchObject({ reason: "bad_address_literal" })
    expect(parseAddress("a@[010.0.0.1x]")).toMatchObject({ reason: "bad_address_literal", isAddressLiteral: false })
  })

  it("is explained in a sentence", () => {
    for (const input of ["", "a", "a@b", "a b@c.de", `${"a".repeat(65)}@b.de`, "a@b..de"]) {
      const address = parseAddress(input)
      expect(address.ok ? "" : address.message).toMatch(/^[A-Z].{15,}\.$/)
    }
  })

  it("is rejected without a scan when it has 10 MB", () => {
    const huge = `${"a".repeat(10_000_000)}@x.com`
    expect(parseAddress(huge)).toMatchObject({ reason: "too_long", position: 254 })
    // With a scan of 10 MB each, a hundred thousand would take minutes.
    runToTheEnd(() => {
      for (let time = 0; time < 100_000; time++) parseAddress(huge)
    })
  })
})

describe("octet limits", () => {
  const label = (length: number) => "d".repeat(length)
  it.each([
    [`${"a".repeat(64)}@x.com`, true],
    [`${"a".repeat(65)}@x.com`, false],
    [`${"é".repeat(32)}@x.com`, true],
    [`${"é".repeat(32)}a@x.com`, false],
    // NFC makes two code points of U+0958: 60 octets become 120.
    [`${"\u0958".repeat(10)}@x.com`, true],
    [`${"\u0958".repeat(20)}@x.com`, false],
    [`a@${label(63)}.com`, true],
    [`a@${label(64)}.com`, false],
    [`a@${label(63)}.${label(63)}.${label(63)}.${label(60)}`, true],
    [`a@${label(63)}.${label(63)}.${label(63)}.${label(60)}.`, true],
    [`a@${label(63)}.${label(63)}.${label(63)}.${label(61)}`, false],
    // 252 octets as typed with a longer A-label form, and the reverse.
    [`a@${label(63)}.${label(63)}.${label(63)}.${label(50)}ü.com`, false],
    [`a@${`${"\u0e01".repeat(30)}.`.repeat(3)}com`, false],
    [`a@${`${"\u0e01".repeat(25)}.`.repeat(3)}com`, true],
  ])("%s: %s", (input, ok) => {
    expect(parseAddress(input).ok).toBe(ok)
  })
})

describe("parseDomain", () => {
  it("reads a domain by the rules of an address", () => {
    expect(parseDomain("Bücher.Example.")).toEqual({
      ok: true,
      domain: "xn--bcher-kva.example",
      domainUnicode: "bücher.example",
      tld: "example",
      mixedScript: false,
    })
  })

  it.each([
    ["", "empty_domain", 0],
    [".", "empty_label", 0],
    ["localhost", "single_label", 9],
    ["a@b.com", "at_sign_in_domain", 1],
    ["b.com ", "white_space", 5],
    ["[1.2.3.4]", "address_literal", 0],
    ["1.2.3.4", "ip_address", 6],
    ["http://b.com/", "bad_domain_character", 4],
    [`${"d".repeat(300)}.com`, "domain_too_long", 253],
  ])("refuses %j as %s at %s", (input, reason, position) => {
    expect(parseDomain(input)).toMatchObject({ ok: false, reason, position, input })
  })
})

describe("cacheKey", () => {
  it.each([
    ["John.Doe@Example.com", "john.doe@example.com"],
    ['"John"@example.com.', "john@example.com"],
    ["JOSE\u0301@BÜCHER.de", "josé@xn--bcher-kva.de"],
    ["josé@xn--bcher-kva.de", "josé@xn--bcher-kva.de"],
    ['"A B"@x.com', '"a b"@x.com'],
  ])("of %s is %s", (input, key) => {
    expect(cacheKey(valid(input))).toBe(key)
  })
})
