import { describe, expect, test } from "vitest"
import { isReservedName, mayQuery } from "../../../src/domain/dns/hosts.ts"

test.each([
  ["test", true],
  ["mailbox.test", true],
  ["MAILBOX.TEST.", true],
  ["mail.example", true],
  ["nowhere.invalid", true],
  ["app.localhost", true],
  ["printer.local", true],
  ["service.onion", true],
  ["db.internal", true],
  ["router.home.arpa", true],
  ["example.com", true],
  ["mail.example.net", true],
  ["test.com", false],
  ["mytest", false],
  ["an-example.com", false],
  ["example.com.br", false],
  ["xn--bcher-kva.de", false],
  ["in-addr.arpa", false],
])("%s is reserved: %s", (domain, isReserved) => {
  expect(isReservedName(domain)).toBe(isReserved)
})

describe("a lookup about an address", () => {
  test.each([
    ["alice@mailbox.test", "https://gravatar.com/avatar/0", false],
    ["alice@mailbox.test", "https://8.8.8.8/avatar/0", false],
    ["alice@mailbox.test", "https://[2606:4700::1]/avatar/0", false],
    ['"a@b.com"@mailbox.test', "https://gravatar.com/avatar/0", false],
    ["mailbox.test", "https://rdap.registry.net/domain/mailbox.test", false],
    ["alice@mailbox.test", "http://127.43.0.1:8080/avatar/0", true],
    ["alice@mailbox.test", "http://[::1]:8080/avatar/0", true],
    ["alice@mailbox.test", "http://192.168.1.5/avatar/0", true],
    ["alice@mailbox.test", "http://mock:8080/avatar/0", true],
    ["alice@mailbox.test", "https://gravatar.test/avatar/0", true],
    ['"a@b.test"@public.com', "https://gravatar.com/avatar/0", true],
    ["alice@public.com", "https://gravatar.com/avatar/0", true],
  ])("%s at %s: %s", (about, url, isAllowed) => {
    expect(mayQuery(about, url)).toBe(isAllowed)
  })
})
