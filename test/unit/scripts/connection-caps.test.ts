import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Caps, ConnectionCaps, capProblems, capsOf, type Decision } from "../../../scripts/dev/connection-caps.ts"

describe("caps from the settings", () => {
  test.each([
    [{}, 65_536, { total: 4_096, perNetwork: 256 }],
    [{ CONNECTIONS: "", CONNECTIONS_PER_NETWORK: "" }, Number.POSITIVE_INFINITY, { total: 4_096, perNetwork: 256 }],
    // A low limit of open files lowers both.
    [{}, 4_096, { total: 896, perNetwork: 224 }],
    [{}, 1_024, { total: 128, perNetwork: 32 }],
    [{ CONNECTIONS: "100" }, 65_536, { total: 100, perNetwork: 25 }],
    [{ CONNECTIONS: "9000", CONNECTIONS_PER_NETWORK: "9000" }, 65_536, { total: 9_000, perNetwork: 9_000 }],
    // All connections come from the proxy.
    [{ CLIENT_IP_HEADER: "x-real-ip" }, 65_536, { total: 4_096, perNetwork: 4_096, isProxied: true }],
  ])("%j with %d files", (settings, files, caps) => {
    expect(capProblems(settings, files)).toEqual([])
    expect(capsOf(settings, files)).toEqual(caps)
  })

  test.each([
    [{}, 512, "CONNECTIONS: the limit of 512 open files is too low: set it to 576 or more"],
    [{ CONNECTIONS: "4096" }, 10_000, "CONNECTIONS: the limit of 10000 open files is too low: set it to 16896 or more"],
    [{ CONNECTIONS_PER_NETWORK: "5000" }, 65_536, "CONNECTIONS_PER_NETWORK: must be at most CONNECTIONS"],
    [
      { CONNECTIONS_PER_NETWORK: "9", CLIENT_IP_HEADER: "x-real-ip" },
      65_536,
      "CONNECTIONS_PER_NETWORK: all connections",
    ],
  ])("%j with %d files is a problem", (settings, files, problem) => {
    expect(capProblems(settings, files)).toEqual([expect.stringContaining(problem)])
  })
})

/** Opens connections named by their order. Each has the address at its place. */
function openAll(caps: Caps, ips: readonly (string | undefined)[]) {
  const open = new ConnectionCaps<number>(caps)
  const decisions: Decision<number>[] = ips.map((ip, id) => open.open(id, ip))
  return { open, decisions, accepted: decisions.map(({ isAccepted }) => isAccepted) }
}
const times = (count: number, ip: (n: number) => string) => Array.from({ length: count }, (_, n) => ip(n))

describe("a network", () => {
  test.each<[string, readonly string[]]>([
    ["an IPv4 address", times(3, () => "192.0.2.1")],
    ["an IPv4 address as IPv6", ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"]],
    ["an IPv6 /64", times(3, (n) => `2001:db8:0:1::${n}`)],
  ])("is %s", (_, ips) => {
    const { open, accepted } = openAll({ total: 100, perNetwork: 2 }, ips)
    expect(accepted).toEqual([true, true, false])
    open.close(0)
    expect(open.open(9, ips[0])).toEqual({ isAccepted: true, replaced: null })
  })

  test.each<[string, (n: number) => string, string]>([
    ["IPv6 /48", (n) => `2001:db8:0:${n}::1`, "2001:db8:1::1"],
    ["IPv4 /24", (n) => `192.0.2.${n}`, "192.0.3.1"],
  ])("shares the cap of an %s, which is four times as high", (_, ip, elsewhere) => {
    const { accepted } = openAll({ total: 100, perNetwork: 2 }, [...times(9, ip), elsewhere])
    expect(accepted).toEqual([...times(8, () => "").map(() => true), false, true])
  })

  test("of callers without an address is one", () => {
    expect(openAll({ total: 9, perNetwork: 1 }, [undefined, "", "nowhere"]).accepted).toEqual([true, false, false])
  })
})

describe("the sum", () => {
  test("is shared: the area with the most connections loses its oldest to one with fewer", () => {
    const { open, decisions } = openAll({ total: 6, perNetwork: 6 }, [
      ...["192.0.2.1", "192.0.3.1", "192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.1"],
      ...["192.0.4.1", "192.0.4.1", "192.0.4.1", "192.0.2.1"],
    ])
    expect(decisions.slice(6)).toEqual([
      { isAccepted: true, replaced: 0 },
      { isAccepted: true, replaced: 2 },
      // Three and two connections would only change places.
      { isAccepted: false, reached: "total" },
      { isAccepted: false, reached: "total" },
    ])
    expect([...open.connections()]).toEqual([1, 3, 4, 5, 6, 7])
  })

  test("no order of opening and closing leads above a cap, and closing all leaves nothing", () => {
    const caps = { total: 7, perNetwork: 3 }
    const step = fc.oneof(
      fc.record({ opens: fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.3.1", "192.0.4.1", "2001:db8::1") }),
      fc.record({ closes: fc.nat(40) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const open = new ConnectionCaps<number>(caps)
        const expected = new Map<number, string>()
        steps.forEach((one, id) => {
          if ("closes" in one) {
            open.close(one.closes)
            expected.delete(one.closes)
            return
          }
          const decision = open.open(id, one.opens)
          if (!decision.isAccepted) return
          if (decision.replaced !== null) expected.delete(decision.replaced)
          expected.set(id, one.opens)
        })
        expect([...open.connections()]).toEqual([...expected.keys()])
        expect(expected.size).toBeLessThanOrEqual(caps.total)
        for (const ip of expected.values())
          expect([...expected.values()].filter((other) => other === ip).length).toBeLessThanOrEqual(caps.perNetwork)
        for (const id of expected.keys()) open.close(id)
        expect(
          openAll(
            caps,
            times(3, () => "192.0.2.1"),
          ).accepted,
        ).toEqual([true, true, true])
      }),
    )
  })
})
