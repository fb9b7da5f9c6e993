import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  brokenRestriction,
  type KeyRestrictions,
  normalNetwork,
  type RestrictedRequest,
  UNRESTRICTED,
} from "../../../src/domain/accounts/key-restrictions.ts"

const REQUEST: RestrictedRequest = { now: 1_000, scope: "verify", clientIp: "192.0.2.7", origin: "https://a.example" }

describe("brokenRestriction", () => {
  test.each<[string, Partial<KeyRestrictions>, Partial<RestrictedRequest>, string | null]>([
    ["nothing is restricted", {}, {}, null],
    ["before the end", { expiresAt: 1_001 }, {}, null],
    ["at the end", { expiresAt: 1_000 }, {}, "expired"],
    ["a scope of the key", { scopes: ["lists", "verify"] }, {}, null],
    ["another scope", { scopes: ["lists"] }, {}, "scope"],
    ["a call that needs no scope", { scopes: ["lists"] }, { scope: null }, null],
    ["inside the network", { networks: ["192.0.2.0/24"] }, {}, null],
    ["inside the second network", { networks: ["10.0.0.0/8", "192.0.2.7/32"] }, {}, null],
    ["outside", { networks: ["192.0.2.0/32"] }, {}, "network"],
    ["IPv4 in IPv6 form", { networks: ["192.0.2.0/24"] }, { clientIp: "::ffff:192.0.2.9" }, null],
    ["IPv6 inside", { networks: ["2001:db8::/32"] }, { clientIp: "2001:db8:1::1" }, null],
    ["IPv6 outside", { networks: ["2001:db8::/32"] }, { clientIp: "2001:db9::1" }, "network"],
    ["IPv6 in an IPv4 network", { networks: ["0.0.0.0/0"] }, { clientIp: "2001:db8::1" }, "network"],
    ["an unknown client", { networks: ["0.0.0.0/0", "::/0"] }, { clientIp: undefined }, "network"],
    ["a malformed client", { networks: ["0.0.0.0/0"] }, { clientIp: "192.0.2.7, 10.0.0.1" }, "network"],
    ["the origin", { origins: ["https://a.example"] }, {}, null],
    ["another origin", { origins: ["https://b.example"] }, {}, "origin"],
    ["the same host by http", { origins: ["http://a.example"] }, {}, "origin"],
    [
      "a subdomain of a wildcard",
      { origins: ["https://b.example", "https://*.example.com"] },
      { origin: "https://a.example.com" },
      null,
    ],
    ["the parent of a wildcard", { origins: ["https://*.example.com"] }, { origin: "https://example.com" }, "origin"],
    ["no origin", { origins: ["https://a.example"] }, { origin: undefined }, "origin"],
    [
      "all of them",
      { expiresAt: 1, scopes: ["find"], networks: ["::/0"], origins: ["https://b.example"] },
      {},
      "expired",
    ],
  ])("%s", (_, restrictions, request, expected) => {
    expect(brokenRestriction({ ...UNRESTRICTED, ...restrictions }, { ...REQUEST, ...request })).toBe(expected)
  })
})

test.each<readonly [string, string | null]>([
  ["192.0.2.7", "192.0.2.7/32"],
  ["192.0.2.7/24", "192.0.2.0/24"],
  [" 10.0.0.0/8 ", "10.0.0.0/8"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["2001:DB8::1/32", "2001:db8::/32"],
  ["2001:db8::1", "2001:db8::1/128"],
  ["::ffff:192.0.2.7", "192.0.2.7/32"],
  ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
  ...["", "192.0.2", "192.0.2.7/33", "192.0.2.7/-1", "192.0.2.7/", "1.2.3.4/8/8", "010.0.0.1", "1", "example.com"].map(
    (text) => [text, null] as const,
  ),
  ...["2001:db8::/129", "::ffff:192.0.2.0/95", "fe80::1%eth0/64", "*", "192.0.2.0/0x8"].map(
    (text) => [text, null] as const,
  ),
])("normalNetwork(%j) is %j", (text, expected) => {
  expect(normalNetwork(text)).toBe(expected)
})

test("the normal form of a network is its own normal form, and contains the address it was made of", () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6())
  fc.assert(
    fc.property(address, fc.nat(128), (ip, bits) => {
      const network = normalNetwork(`${ip}/${bits}`)
      if (network === null) return
      expect(normalNetwork(network)).toBe(network)
      const restrictions = { ...UNRESTRICTED, networks: [network] }
      expect(brokenRestriction(restrictions, { ...REQUEST, clientIp: ip })).toBeNull()
    }),
  )
})
