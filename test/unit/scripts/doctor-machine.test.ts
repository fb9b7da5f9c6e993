import { describe, expect, test } from "vitest"
import { recordTable, withTerms } from "../../../scripts/doctor/machine/dns-records.ts"
import { findingsOf, HOSTERS, hosterOf, ticketFor } from "../../../scripts/doctor/machine/port-25.ts"

describe("the SPF record to publish", () => {
  test.each<[present: string | null, ips: string[], wanted: string]>([
    [null, ["203.0.113.5", "2001:db8::5"], "v=spf1 mx ip4:203.0.113.5 ip6:2001:db8::5 -all"],
    ["v=spf1 mx -all", ["203.0.113.5"], "v=spf1 mx ip4:203.0.113.5 -all"],
    ["v=spf1 ip4:203.0.113.0/24 -all", ["203.0.113.5"], "v=spf1 ip4:203.0.113.0/24 -all"],
    ["v=spf1 ip4:203.0.113.0/24 -all", ["2001:db8::5"], "v=spf1 ip4:203.0.113.0/24 ip6:2001:db8::5 -all"],
    [
      "v=spf1 include:a.example redirect=b.example",
      ["203.0.113.5"],
      "v=spf1 include:a.example ip4:203.0.113.5 redirect=b.example",
    ],
    ["v=spf1 a", ["203.0.113.5"], "v=spf1 a ip4:203.0.113.5"],
    ["v=spf1 ~all", [], "v=spf1 ~all"],
  ])("from %s for %s", (present, ips, wanted) => {
    expect(withTerms(present, ips)).toBe(wanted)
  })
})

test("the table shows what to paste, and beside it what is published instead", () => {
  const table = recordTable([
    {
      name: "p.example",
      type: "A",
      value: "203.0.113.5",
      found: ["192.0.2.1"],
      state: "differs",
      at: "DNS of the domain",
    },
    {
      name: "203.0.113.5",
      type: "PTR",
      value: "p.example",
      found: [],
      state: "missing",
      at: "provider of the address",
    },
    {
      name: "example",
      type: "TXT",
      value: "v=spf1 -all",
      found: ["v=spf1 -all"],
      state: "ok",
      at: "DNS of the domain",
    },
  ])
  expect(table.split("\n").map((line) => line.replaceAll(/ +/g, " "))).toEqual([
    "differs p.example A 203.0.113.5 now: 192.0.2.1",
    "missing 203.0.113.5 PTR p.example at the provider of the address",
    'ok example TXT "v=spf1 -all"',
  ])
})

describe("hosting providers", () => {
  test.each<[asn: number | null, names: string[], expected: string | undefined]>([
    [24940, [], "Hetzner"],
    [16509, ["static.5.113.0.203.clients.your-server.de"], "Amazon AWS"],
    [null, ["static.5.113.0.203.clients.your-server.de"], "Hetzner"],
    [64500, ["ec2-203-0-113-5.compute-1.amazonaws.com"], "Amazon AWS"],
    [64500, ["probe1.example.com"], undefined],
    [null, [], undefined],
  ])("AS %s, %s", (asn, names, expected) => {
    expect(hosterOf({ asn, names })?.name).toBe(expected)
  })

  test("no number belongs to two, and each rule says first what happens", () => {
    const asns = HOSTERS.flatMap((hoster) => hoster.asns)
    expect(new Set(asns).size).toBe(asns.length)
    for (const { port25, rule } of HOSTERS) expect(rule).toMatch(port25 === "open" ? /^open/ : /\bclosed\b/)
  })

  test("the request names addresses, names and what the service does", () => {
    const text = ticketFor({
      ...{ ips: ["203.0.113.5", "2001:db8::5"], heloName: "probe1.example.com", mailFrom: "probe@example.com" },
      baseUrl: "https://api.example.com",
    })
    for (const fact of ["Subject: Please open outgoing TCP port 25 for 203.0.113.5", "203.0.113.5, 2001:db8::5"])
      expect(text).toContain(fact)
    expect(text).toMatch(/ends the session before DATA/)
    expect(text).not.toContain("undefined")
  })
})

test("settings that the node refuses become findings of their names", () => {
  expect(findingsOf("probe node: PROBE_HELO is missing: set it to a name\nprobe node: Unknown option '--x'")).toEqual([
    { about: "PROBE_HELO", result: "fail", detail: "is missing: set it to a name" },
    { about: "probe node", result: "fail", detail: "probe node: Unknown option '--x'" },
  ])
})
