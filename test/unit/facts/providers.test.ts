import { describe, expect, test } from "vitest"
import { createGravatar } from "../../../src/adapters/gravatar/gravatar.ts"
import { createOutages } from "../../../src/adapters/outages.ts"
import { createRdap } from "../../../src/adapters/rdap/rdap.ts"

const NOW = Date.parse("2026-11-21T00:00:00Z")
const BOOTSTRAP = "https://iana.test/rdap/dns.json"
const SERVICES = {
  services: [
    [
      ["com", "net"],
      ["http://old.test/", "https://rdap.com.test/v1"],
    ],
    [["uk"], ["https://rdap.uk.test/"]],
    [["co.uk"], ["https://rdap.co.uk.test/"]],
  ],
}
const REGISTERED = {
  events: [
    { eventAction: "expiration", eventDate: "2030-01-01T00:00:00Z" },
    { eventAction: "registration", eventDate: "1995-08-14T04:00:00Z" },
  ],
}

type Reply = Response | "unreachable"

/** A network of canned answers by URL, which notes what is asked, and a clock that is moved by hand. */
function network(replies: Readonly<Record<string, () => Reply>>) {
  const calls: string[] = []
  let now = NOW
  return {
    calls,
    pass: (ms: number) => {
      now += ms
    },
    needs: {
      clock: { now: () => now, sleep: async () => undefined },
      outages: createOutages(),
      async fetch(url: string) {
        calls.push(url)
        const reply = replies[url]?.() ?? new Response(null, { status: 404 })
        if (reply === "unreachable") throw new TypeError("network")
        return reply
      },
    },
  }
}

const json = (body: unknown) => () => new Response(JSON.stringify(body))
const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status: code, headers })

describe("RDAP", () => {
  function rdap(replies: Readonly<Record<string, () => Reply>>) {
    const { needs, ...rest } = network({ [BOOTSTRAP]: json(SERVICES), ...replies })
    const memory = new Map()
    // One client a request, as in the Worker; what an isolate remembers goes on.
    const registration = (domain: string) =>
      createRdap({ ...needs, bootstrapUrl: BOOTSTRAP, memory }).registration(domain)
    return { ...rest, registration }
  }

  test.each<[string, string, Readonly<Record<string, () => Reply>>, object]>([
    [
      "registration is the event that counts",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": json(REGISTERED) },
      { kind: "registered", at: Date.parse("1995-08-14T04:00:00Z") },
    ],
    [
      "the longest entry is asked",
      "example.co.uk",
      { "https://rdap.co.uk.test/domain/example.co.uk": json(REGISTERED) },
      { kind: "registered", at: Date.parse("1995-08-14T04:00:00Z") },
    ],
    [
      "no such event is unknown, not new",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [{ eventAction: "last changed", eventDate: "2026-01-01T00:00:00Z" }],
        }),
      },
      { kind: "unknown" },
    ],
    [
      "no events at all",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": json({}) },
      { kind: "unknown" },
    ],
    [
      "a date that is none",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [{ eventAction: "registration", eventDate: "long ago" }],
        }),
      },
      { kind: "unknown" },
    ],
    [
      "events that are half empty",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [null, { eventAction: "expiration", eventDate: null }, { eventAction: 1 }, ...REGISTERED.events],
        }),
      },
      { kind: "registered", at: Date.parse("1995-08-14T04:00:00Z") },
    ],
    [
      "several registrations: the first in time",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [{ eventAction: "Registration", eventDate: "2020-01-01 00:00:00" }, ...REGISTERED.events],
        }),
      },
      { kind: "registered", at: Date.parse("1995-08-14T04:00:00Z") },
    ],
    [
      "a time without a zone is UTC",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [{ eventAction: "registration", eventDate: "1999-05-21 10:00:00" }],
        }),
      },
      { kind: "registered", at: Date.parse("1999-05-21T10:00:00Z") },
    ],
    [
      "a number is no date",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [{ eventAction: "registration", eventDate: "12" }],
        }),
      },
      { kind: "unknown" },
    ],
    [
      "not an object",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": () => new Response("<html>") },
      { kind: "unknown" },
    ],
    [
      "no such name",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": status(404) },
      { kind: "unknown" },
    ],
    ["a registry without RDAP", "example.de", {}, { kind: "unknown" }],
    [
      "trouble at the registry",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": status(503) },
      { kind: "failure" },
    ],
    [
      "no network at the registry",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": () => "unreachable" },
      { kind: "failure" },
    ],
    ["no bootstrap", "example.com", { [BOOTSTRAP]: () => "unreachable" }, { kind: "failure" }],
    ["a bootstrap that is none", "example.com", { [BOOTSTRAP]: json({ services: "none" }) }, { kind: "failure" }],
  ])("%s", async (_, domain, replies, expected) => {
    expect(await rdap(replies).registration(domain)).toEqual(expected)
  })

  test("the bootstrap holds for a day, and longer when it cannot be renewed", async () => {
    let isUp = true
    const { registration, calls, pass } = rdap({ [BOOTSTRAP]: () => (isUp ? json(SERVICES)() : "unreachable") })
    await registration("a.com")
    await registration("b.com")
    expect(calls.filter((url) => url === BOOTSTRAP)).toHaveLength(1)
    pass(24 * 3_600_000 + 1)
    isUp = false
    expect(await registration("c.com")).toEqual({ kind: "unknown" })
    expect(calls.filter((url) => url === BOOTSTRAP)).toHaveLength(2)
  })

  test("429 is honoured for as long as the server asks", async () => {
    const url = "https://rdap.com.test/v1/domain/example.com"
    const { registration, calls, pass } = rdap({ [url]: status(429, { "retry-after": "120" }) })
    await registration("example.com")
    pass(119_000)
    expect(await registration("example.com")).toEqual({ kind: "failure" })
    expect(calls.filter((one) => one === url)).toHaveLength(1)
    pass(2_000)
    await registration("example.com")
    expect(calls.filter((one) => one === url)).toHaveLength(2)
  })

  test("a provider out of reach is not asked again for a minute", async () => {
    const { registration, calls, pass } = rdap({ [BOOTSTRAP]: () => "unreachable" })
    await registration("a.com")
    await registration("b.com")
    expect(calls).toHaveLength(1)
    pass(60_001)
    await registration("c.com")
    expect(calls).toHaveLength(2)
  })

  test("switched off, nothing is asked", async () => {
    const { needs, calls } = network({})
    expect(await createRdap({ ...needs, bootstrapUrl: null }).registration("a.com")).toEqual({ kind: "failure" })
    expect(calls).toEqual([])
  })
})

describe("Gravatar", () => {
  const BASE = "https://gravatar.test/avatar"
  // The example of docs.gravatar.com, "Creating the hash".
  const HASH = "84059b07d4be67b806386c0aad8070a23f18836bbaae342275dc0a83414c32ee"
  // Without a rating pictures above "G" are kept back, and with d=404 they are a 404 like none ("Rating").
  const URL = `${BASE}/${HASH}?d=404&s=1&r=x`

  test.each<[string, () => Reply, boolean | null]>([
    ["a picture", status(200), true],
    ["no picture", status(404), false],
    ["trouble", status(500), null],
    ["a redirect is no answer", status(302, { location: "https://elsewhere.test/" }), null],
    ["no network", () => "unreachable", null],
  ])("%s", async (_, reply, expected) => {
    const { needs, calls } = network({ [URL]: reply })
    expect(await createGravatar(BASE, needs).has(" MyEmailAddress@example.com ")).toBe(expected)
    expect(calls).toEqual([URL])
  })

  test("trouble is remembered for a minute, and switched off nothing is asked", async () => {
    const { needs, calls, pass } = network({ [URL]: () => "unreachable" })
    const { has } = createGravatar(BASE, needs)
    await has("myemailaddress@example.com")
    await has("myemailaddress@example.com")
    expect(calls).toHaveLength(1)
    pass(60_001)
    await has("myemailaddress@example.com")
    expect(calls).toHaveLength(2)
    expect(await createGravatar(null, needs).has("myemailaddress@example.com")).toBeNull()
    expect(calls).toHaveLength(2)
  })
})
