import { expect, test } from "vitest"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { didYouMean } from "../../../src/domain/typo/did-you-mean.ts"
import type { MailRoute } from "../../../src/domain/verdict/evidence.ts"

const mx = (host: string): MailRoute => ({ kind: "mx", hosts: [{ host, preference: 10 }] })

test.each<[string, string, MailRoute | undefined, string | null]>([
  ["no mail server", "alice@gmial.com", { kind: "no_such_domain" }, "alice@gmail.com"],
  ["null MX", "alice@gmial.com", { kind: "null_mx" }, "alice@gmail.com"],
  ["DNS did not answer", "alice@gmial.com", { kind: "dns_failure", reason: "timeout" }, "alice@gmail.com"],
  ["DNS was not asked", "alice@gmial.com", undefined, "alice@gmail.com"],
  ["a domain that accepts mail", "alice@gmial.com", mx("mx.gmial.com"), null],
  ["mail to a parking service", "alice@gmial.com", mx("mx.sedoparking.com"), "alice@gmail.com"],
  ["a known domain without a mail host", "alice@gmail.com", { kind: "no_mail_host" }, null],
  ["malformed", "alice.gmail.com", undefined, "alice@gmail.com"],
  ["no similar domain", "alice@example.org", { kind: "no_such_domain" }, null],
])("%s: %s", (_, email, route, expected) => {
  expect(didYouMean(parseAddress(email), route)).toBe(expected)
})
