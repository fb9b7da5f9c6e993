import { describe, expect, test } from "vitest"
import { createDialPort } from "../../../probe-node/addresses.ts"
import { parseSandbox } from "../../../schema/wire/addresses.ts"

const PUBLIC_ONLY = createDialPort({ allowPrivate: false, sandbox: null, smtpPort: 25 })

describe("addresses that may be dialed", () => {
  test.each(["8.8.8.8", "142.250.1.26", "1.1.1.1", "2607:f8b0:4023::1a", "64:ff9b::808:808", "::ffff:8.8.8.8"])(
    "%s",
    (address) => {
      expect(PUBLIC_ONLY(address)).toBe(25)
    },
  )

  test.each([
    ["loopback", "127.0.0.1"],
    ["loopback", "::1"],
    ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
    ["private", "10.1.2.3"],
    ["private", "172.16.0.1"],
    ["private", "192.168.1.1"],
    ["unique local", "fd00::1"],
    ["link local", "169.254.169.254"],
    ["link local", "fe80::1"],
    ["carrier NAT", "100.64.0.1"],
    ["multicast", "224.0.0.1"],
    ["multicast", "ff02::1"],
    ["unspecified", "0.0.0.0"],
    ["unspecified", "::"],
    ["broadcast", "255.255.255.255"],
    ["reserved", "240.0.0.1"],
    ["documentation", "192.0.2.1"],
    ["documentation", "2001:db8::1"],
    ["NAT64 of a private address", "64:ff9b::a00:1"],
    ["NAT64 of loopback", "64:ff9b::7f00:1"],
    ["local NAT64", "64:ff9b:1::a00:1"],
    ["local NAT64 with the address at an earlier position", "64:ff9b:1:a00:0:100:808:808"],
    ["6to4 of a private address", "2002:a00:1::1"],
    ["Teredo", "2001::1"],
    ["deprecated site local", "fec0::1"],
    ["IPv4-compatible loopback", "::7f00:1"],
    ["no address", "mx.test"],
    ["a number", "2130706433"],
  ])("%s %s is not", (_, address) => {
    expect(PUBLIC_ONLY(address)).toBeNull()
  })

  test("all addresses with PROBE_ALLOW_PRIVATE", () => {
    const all = createDialPort({ allowPrivate: true, sandbox: null, smtpPort: 2525 })
    expect([all("127.0.0.1"), all("10.1.2.3"), all("fd00::1")]).toEqual([2525, 2525, 2525])
  })

  test("the sandbox network on its own port, and nothing else private", () => {
    const dial = createDialPort({ allowPrivate: false, sandbox: parseSandbox("127.42.0.0/16:2525"), smtpPort: 25 })
    expect([dial("127.42.0.9"), dial("127.43.0.9"), dial("8.8.8.8"), dial("::1")]).toEqual([2525, null, 25, null])
  })

  test("a cached answer equals the first one", () => {
    expect([PUBLIC_ONLY("10.0.0.1"), PUBLIC_ONLY("10.0.0.1")]).toEqual([null, null])
  })
})

test.each(["127.42.0.0:2525", "127.42.0.0/16", "127.42.0.0/99:25", "x/8:25", "127.0.0.0/8:0", "127.0.0.0/8:70000"])(
  "%s is no sandbox",
  (text) => {
    expect(parseSandbox(text)).toBeNull()
  },
)
