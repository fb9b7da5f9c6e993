import { expect, test } from "vitest"
import { isOrigin, normalOrigin } from "../../../src/domain/accounts/key-restrictions.ts"

const refused = (...texts: string[]) => texts.map((text) => [text, null] as const)

test.each<readonly [string, string | null]>([
  ["https://shop.example", "https://shop.example"],
  ["https://SHOP.example:443/", "https://shop.example"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
  ["https://*.shop.example", "https://*.shop.example"],
  [" HTTPS://*.SHOP.example:443/ ", "https://*.shop.example"],
  ["http://*.shop.co.uk:8080", "http://*.shop.co.uk:8080"],
  ["https://*.eu.shop.example", "https://*.eu.shop.example"],
  ["https://*.bücher.example", "https://*.xn--bcher-kva.example"],
  ...refused("shop.example", "https://shop.example/path", "https://shop.example?x", "https://u:p@shop.example", "*"),
  ...refused(
    "https://*",
    "https://*.",
    "https://*.com",
    "https://*.co.uk",
    "https://*.github.io",
    "https://*.localhost",
  ),
  ...refused("https://*.*.shop.example", "https://a.*.shop.example", "https://a*.shop.example", "https://*.192.0.2.1"),
  ...refused("https://*.shop.example/path", "https://u@*.shop.example", "https://%2a.shop.example", "*.shop.example"),
  ...refused("null", "file:///x", "ftp://shop.example", "ftp://*.shop.example", ""),
])("normalOrigin(%j) is %j", (text, expected) => {
  expect(normalOrigin(text)).toBe(expected)
})

test.each<readonly [origin: string, allowed: string, boolean]>([
  ["https://shop.example", "https://shop.example", true],
  ["https://www.shop.example", "https://shop.example", false],
  ["https://a.shop.example", "https://*.shop.example", true],
  ["https://xn--bcher-kva.shop.example", "https://*.shop.example", true],
  ["https://a.shop.example:8443", "https://*.shop.example:8443", true],
  ["https://a.shop.example:8443", "https://*.shop.example", false],
  ["http://a.shop.example", "https://*.shop.example", false],
  ["https://shop.example", "https://*.shop.example", false],
  ["https://.shop.example", "https://*.shop.example", false],
  ["https://a.b.shop.example", "https://*.shop.example", false],
  ["https://ashop.example", "https://*.shop.example", false],
  ["https://a.shop.example.evil.test", "https://*.shop.example", false],
  ["https://evil.test/.shop.example", "https://*.shop.example", false],
  ["https://u@.shop.example", "https://*.shop.example", false],
  ["null", "https://*.shop.example", false],
])("isOrigin(%j, %j) is %j", (origin, allowed, expected) => {
  expect(isOrigin(origin, allowed)).toBe(expected)
})
