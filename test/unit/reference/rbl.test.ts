import { describe, expect, test } from "vitest"
import { parseRblZones } from "../../../probe-node/rbl.ts"
import type { RblZoneAnswer } from "../../../schema/wire/rbl.ts"
import { RBL_ZONES, rblPenalty, readRbl } from "../../../src/domain/reference/rbl.ts"

const IP = "192.0.2.25"
type Records = string[] | null

const answer = (zone: string, records: Records, tests: { listed?: Records; clean?: Records } = {}): RblZoneAnswer => ({
  zone,
  listedTestPoint: tests.listed === undefined ? ["127.0.0.2"] : tests.listed,
  cleanTestPoint: tests.clean === undefined ? [] : tests.clean,
  answers: [{ ip: IP, records }],
})
const reading = (...zones: RblZoneAnswer[]) => {
  const { checked, matched, notConsulted } = readRbl(zones)
  if (matched.length > 0) return "listed"
  if (checked.length > 0) return "clean"
  return notConsulted.length > 0 ? "not consulted" : "nothing"
}

describe("the meaning of a blocklist's answer", () => {
  const ZEN = "zen.spamhaus.org"
  test.each<[string, string, Records, string]>([
    ["SBL", ZEN, ["127.0.0.2"], "listed"],
    ["XBL", ZEN, ["127.0.0.4"], "listed"],
    ["PBL lists a host's network, not its behavior", ZEN, ["127.0.0.10"], "clean"],
    ["PBL and XBL", ZEN, ["127.0.0.11", "127.0.0.4"], "listed"],
    ["NXDOMAIN", ZEN, [], "clean"],
    ["no answer", ZEN, null, "not consulted"],
    ["a public resolver is refused", ZEN, ["127.255.255.254"], "not consulted"],
    ["too many queries", ZEN, ["127.255.255.255"], "not consulted"],
    ["a typo in the zone", ZEN, ["127.255.255.252"], "not consulted"],
    ["127.0.0.1 is a refusal (URIBL)", ZEN, ["127.0.0.1"], "not consulted"],
    ["an undocumented answer", ZEN, ["127.0.0.99"], "not consulted"],
    ["a parked zone's web server", ZEN, ["185.53.177.50"], "not consulted"],
    ["127.0.1.2 is not 127.0.0.2", ZEN, ["127.0.1.2"], "not consulted"],
    ["a list with one answer", "bl.spamcop.net", ["127.0.0.2"], "listed"],
    ["any other answer of that list", "bl.spamcop.net", ["127.0.0.3"], "not consulted"],
    ["an unknown list is read by RFC 5782", "rbl.test", ["127.0.0.7"], "listed"],
    ["a refusal of an unknown list", "rbl.test", ["127.0.0.1"], "not consulted"],
  ])("%s", (_, zone, records, expected) => {
    expect(reading(answer(zone, records))).toBe(expected)
  })
})

describe("a blocklist that fails its self test is ignored (RFC 5782 §5)", () => {
  test.each<[string, Records, Records]>([
    ["it lists everything", ["127.0.0.2"], ["127.0.0.2"]],
    ["it lists nothing", [], []],
    ["it refuses", ["127.255.255.254"], ["127.255.255.254"]],
    ["it does not answer", null, null],
    ["the clean point does not answer", ["127.0.0.2"], null],
  ])("%s", (_, listed, clean) => {
    expect(reading(answer("bl.spamcop.net", ["127.0.0.2"], { listed, clean }))).toBe("not consulted")
  })
})

test("blocklists are counted and named, and cost at most thirty points", () => {
  const finding = readRbl([
    answer("zen.spamhaus.org", ["127.0.0.2"]),
    answer("bl.spamcop.net", []),
    answer("b.barracudacentral.org", ["127.255.255.254"]),
    answer("psbl.surriel.com", ["127.0.0.2"]),
  ])
  expect(finding).toEqual({
    checked: ["zen.spamhaus.org", "bl.spamcop.net", "psbl.surriel.com"],
    matched: ["zen.spamhaus.org", "psbl.surriel.com"],
    notConsulted: ["b.barracudacentral.org"],
  })
  expect(rblPenalty(finding)).toBe(-23)
  const all = RBL_ZONES.map(({ zone }) => zone)
  expect(rblPenalty({ checked: all, matched: all, notConsulted: [] })).toBe(-30)
  expect(Object.is(rblPenalty({ checked: all, matched: [], notConsulted: [] }), 0)).toBe(true)
})

test.each<[string, object[] | null]>([
  ["", []],
  ["bl.example.org", [{ name: "bl.example.org", zone: "bl.example.org" }]],
  ["zen.spamhaus.org=KEY.zen.dq.spamhaus.net", [{ name: "zen.spamhaus.org", zone: "key.zen.dq.spamhaus.net" }]],
  ["localhost", null],
  ["a.b=c.d=e.f", null],
  ["bl.example.org=", null],
  ["bl example", null],
])("PROBE_RBL_ZONES=%s", (text, expected) => {
  expect(parseRblZones(text === "" ? [] : [text])).toEqual(expected)
})
