import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isKeyText, PUBLIC_KEY_PATTERN } from "../../../schema/wire/keys.ts"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { normalNetwork, normalOrigin } from "../../../src/domain/accounts/key-restrictions.ts"
import { parseAddress, parseDomain } from "../../../src/domain/address/parse.ts"
import { readCompanyDomain } from "../../../src/domain/finder/company-domain.ts"
import { parseSuppressedDomain } from "../../../src/domain/suppression/suppression.ts"
import { isPolledUrl, readTargetUrl } from "../../../src/domain/webhooks/target-url.ts"
import { PATTERNS } from "../../../src/http/input-fields.ts"
import { personName } from "../../../src/routes/finder/fields.ts"
import { FullAddress } from "../../../src/routes/fleet/ips.ts"
import { moment } from "../../../src/routes/suppression/list.ts"
import { requestFields } from "../../support/contract/document-fields.ts"

interface Case {
  readonly pattern: string
  readonly accepts: (text: string) => boolean
  /** Parts of texts. Joined in any number and order, many of them are accepted. */
  readonly parts: readonly string[]
  /** One accepted text at least for each form. */
  readonly accepted: readonly string[]
  /** Texts that neither the handler nor the pattern accepts. */
  readonly refused: readonly string[]
}

const RULES = { allowHttp: true, allowHosts: new Set<string>(), ownHosts: [] }
const isTarget = (text: string) => readTargetUrl(text, RULES).ok
const NAMES = [
  "a",
  "mail",
  "BOX",
  ".",
  "test",
  "-",
  "xn--bcher-kva",
  "bücher",
  "。",
  "ｔｅｓｔ",
  "例え",
  "\u00ad",
  " ",
  "\t",
]
const URL_PARTS = ["https:", "HTTP:", "//", "\\\\", "shop", ".example", ":8443", "/", "?q", "#", "*.", "ü", " ", "@"]

const CASES: Readonly<Record<string, Case>> = {
  domain: {
    pattern: PATTERNS.domain,
    accepts: (text) => parseDomain(text.trim()).ok,
    parts: NAMES,
    accepted: ["mailbox.test", " Mailbox.Test. ", "bücher.example", "例え。テスト", "ｍａｉｌ．test"],
    refused: ["", "a@mailbox.test", "https://mailbox.test", "mail_box.test", "mail box.test", "mailbox.test:25"],
  },
  "a company's domain": {
    pattern: PATTERNS.companyDomain,
    accepts: (text) => readCompanyDomain(text.trim()).ok,
    parts: [...NAMES, "https://", "www.", "@", "/", "?", "#", ":443", "\n"],
    accepted: [
      "mailbox.test",
      "https://www.mailbox.test/a b?c",
      "a@b@mailbox.test",
      "mailbox.test:443#x",
      " bücher.example ",
    ],
    refused: ["", "https://", "mail box.test", "mail_box.test", "?mailbox.test"],
  },
  "a suppressed domain": {
    pattern: PATTERNS.suppressedDomain,
    accepts: (text) => parseSuppressedDomain(text).ok,
    parts: [...NAMES, "*", "@"],
    accepted: ["mailbox.test", " @mailbox.test", "*@bücher.example"],
    refused: ["", "@", "a@mailbox.test", "**@mailbox.test", "https://mailbox.test"],
  },
  mailbox: {
    pattern: PATTERNS.mailbox,
    accepts: (text) => parseAddress(text).ok,
    parts: [...NAMES, "@", '"', "mailto:", "?subject=x", "\u200b", "\\", "\n"],
    accepted: ["a@mailbox.test", ' "a b"@mailbox.test', "mailto:a@mailbox.test?subject=x", "\u200bä@bücher.example.\n"],
    refused: ["", "@", "a", "a@", "@mailbox.test", "a＠mailbox.test"],
  },
  account: {
    pattern: PATTERNS.account,
    accepts: (text) => /^(?:acc|kid)_/.test(text) || parseAddress(text).ok,
    parts: [...NAMES, "acc_", "kid_", "@", "\n"],
    accepted: ["acc_0123456789abcdef01234567", "kid_0123456789abcdef", "owner@example.org"],
    refused: ["", "0", "Acc_01", "owner"],
  },
  "a person's name": {
    pattern: PATTERNS.personName,
    accepts: (text) => personName("", "").safeParse(text).success,
    parts: ["a", "Z", "é", "李", "1", "-", "'", " ", "\n"],
    accepted: ["Alice", " é ", "李", "4ever young"],
    refused: ["", " ", "42", "-'."],
  },
  "an IP address": {
    pattern: PATTERNS.ipAddress,
    accepts: (text) => FullAddress.safeParse(text).success,
    parts: ["192.0.2.1", "2001:db8", "::", ":", "ffff", "0", ".", "%eth0"],
    accepted: ["192.0.2.1", "2001:DB8::1", "::", "::ffff:192.0.2.1"],
    refused: ["", "198.51.7", "192.0.2.0/24", "fe80::1%eth0", " 192.0.2.1"],
  },
  moment: {
    pattern: PATTERNS.moment,
    accepts: (text) => moment("").safeParse(text).success,
    parts: ["2026-11-01", "T", "10:20", ":30", ".5", "Z", "+02:00", "-0130", "t", " "],
    accepted: ["2026-11-01", "2026-11-01T10:20:30Z", "2026-11-01T10:20:30.123+02:00"],
    refused: ["", "2026", "2026-11-01 10:20:30", "2026-11-01T10:20Z", "2026-11-01T10:20:30"],
  },
  "the URL of a webhook": {
    pattern: PATTERNS.optionalWebUrl,
    accepts: (text) => text === "" || isTarget(text),
    parts: URL_PARTS,
    accepted: ["", "https://shop.example/a?b#c", "HTTPS:shop.example", "https://bücher.example:8443"],
    refused: ["shop.example", "ftp://shop.example", "https://shop.example/a b", " https://shop.example", "https:"],
  },
  "the URL of an endpoint": {
    pattern: PATTERNS.endpointUrl,
    accepts: (text) => isPolledUrl(text) || isTarget(text),
    parts: [...URL_PARTS, "poll:", "laptop"],
    accepted: ["https://shop.example/a", "poll:my-laptop.1"],
    refused: ["", "poll:", "poll:a b", "shop.example"],
  },
  origin: {
    pattern: PATTERNS.origin,
    accepts: (text) => normalOrigin(text) !== null,
    parts: URL_PARTS,
    accepted: [
      "https://shop.example",
      " http://SHOP.example:8080/ ",
      "https://*.shop.example",
      "https:\\\\shop.example?",
      "https:shop.example#",
    ],
    refused: ["", "shop.example", "ftp://shop.example", "https://shop.example/?a", "https:"],
  },
  network: {
    pattern: PATTERNS.network,
    accepts: (text) => normalNetwork(text) !== null,
    parts: ["192.0.2.1", "2001:db8::", "::ffff:", "/", "24", "8", " ", "0x7f.1", "%eth0"],
    accepted: ["192.0.2.0/24", " 2001:DB8::/32 ", "::ffff:192.0.2.1", "192.0.2.1"],
    refused: ["", "shop.example", "192.0.2.0/", "192.0.2.0/24/1", "fe80::1%eth0"],
  },
  "public key": {
    pattern: PUBLIC_KEY_PATTERN,
    accepts: isKeyText,
    parts: ["fra-1.2026", ":", "A".repeat(43), "_", " ", "="],
    accepted: [`fra-1.2026-11:${"A".repeat(43)}`, ` k:${"-_".repeat(21)}a `],
    refused: ["", "k:", `:${"A".repeat(43)}`, `k:${"A".repeat(42)}`, `k:${"A".repeat(43)}=`],
  },
}

describe.each(Object.entries(CASES))("the pattern of %s", (_, { pattern, accepts, parts, accepted, refused }) => {
  const regex = new RegExp(pattern, "u")

  test.each(accepted)("matches %j, which the handler accepts", (text) => {
    expect({ handler: accepts(text), pattern: regex.test(text) }).toEqual({ handler: true, pattern: true })
  })

  test.each(refused)("does not match %j, which the handler refuses", (text) => {
    expect({ handler: accepts(text), pattern: regex.test(text) }).toEqual({ handler: false, pattern: false })
  })

  test("matches whatever the handler accepts", () => {
    const part = fc.constantFrom(...parts)
    const made = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((texts) => texts.join("")),
      fc.tuple(part, fc.constantFrom(...accepted), part).map((texts) => texts.join("")),
      fc
        .tuple(fc.string({ unit: "binary", maxLength: 3 }), fc.constantFrom(...accepted))
        .map((texts) => texts.join("")),
    )
    fc.assert(
      fc.property(made, (text) => regex.test(text) || !accepts(text) || hasControl(text)),
      { seed: 46, numRuns: 3_000 },
    )
  })
})

/** URL parsers drop control characters, which no pattern of a URL mentions. */
function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " && !/\s/.test(character))
}

test("each domain, host, mailbox, webhook URL, origin, network and public key of a request has its pattern", () => {
  const names = ["domain", "mx_host", "owner_email", "webhook_url", "allowed_origins", "allowed_networks", "public_key"]
  const fields = requestFields(openApiDocument()).filter(({ path }) => names.includes(path))
  expect(new Set(fields.map(({ path }) => path))).toEqual(new Set(names))
  const without = fields.filter(({ schema }) => !JSON.stringify(schema).includes('"pattern":'))
  expect(without.map(({ call, path }) => `${call} ${path}`)).toEqual([])
})
