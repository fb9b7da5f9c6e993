import { describe, expect, test } from "vitest"
import { createLookup, createOutages } from "../../../src/adapters/external-calls.ts"
import { createGravatar } from "../../../src/adapters/signals/account-lookup.ts"
import { createRdap } from "../../../src/adapters/signals/rdap.ts"

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

/** Canned responses by URL, which records the requests, and a manual clock. */
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
      lookUp: createLookup(async (url) => {
        calls.push(url)
        const reply = replies[url]?.() ?? new Response(null, { status: 404 })
        if (reply === "unreachable") throw new TypeError("network")
        return reply
      }),
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
    // One client per request, as in the Worker. The memory of the isolate remains.
    const registration = (domain: string) =>
      createRdap({ ...needs, bootstrapUrl: BOOTSTRAP, memory }).registration(domain)
    return { ...rest, registration }
  }

  test.each<[string, string, Readonly<Record<string, () => Reply>>, object]>([
    [
      "the registration event has the date",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": json(REGISTERED) },
      { kind: "registered", at: Date.parse("1995-08-14T04:00:00Z") },
    ],
    [
      "the longest entry is queried",
      "example.co.uk",
      { "https://rdap.co.uk.test/domain/example.co.uk": json(REGISTERED) },
      { kind: "registered", at: Date.parse("1995-08-14T04:00:00Z") },
    ],
    [
      "without a registration event the date is unknown",
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
      "an invalid date",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [{ eventAction: "registration", eventDate: "long ago" }],
        }),
      },
      { kind: "unknown" },
    ],
    [
      "incomplete events",
      "example.com",
      {
        "https://rdap.com.test/v1/domain/example.com": json({
          events: [null, { eventAction: "expiration", eventDate: null }, { eventAction: 1 }, ...REGISTERED.events],
        }),
      },
      { kind: "registered", at: Date.parse("1995-08-14T04:00:00Z") },
    ],
    [
      "of several registrations the first",
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
      "a number is not a date",
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
      "an absent name",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": status(404) },
      { kind: "unknown" },
    ],
    ["a registry without RDAP", "example.de", {}, { kind: "unknown" }],
    [
      "an error of the registry",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": status(503) },
      { kind: "failure" },
    ],
    [
      "an unreachable registry",
      "example.com",
      { "https://rdap.com.test/v1/domain/example.com": () => "unreachable" },
      { kind: "failure" },
    ],
    ["no bootstrap", "example.com", { [BOOTSTRAP]: () => "unreachable" }, { kind: "failure" }],
    ["an invalid bootstrap file", "example.com", { [BOOTSTRAP]: json({ services: "none" }) }, { kind: "failure" }],
  ])("%s", async (_, domain, replies, expected) => {
    expect(await rdap(replies).registration(domain)).toEqual(expected)
  })

  test("the bootstrap file is cached for a day, and longer when it cannot be renewed", async () => {
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

  test("after a 429 no request is sent during its Retry-After", async () => {
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

  test("an unreachable provider gets no request for a minute", async () => {
    const { registration, calls, pass } = rdap({ [BOOTSTRAP]: () => "unreachable" })
    await registration("a.com")
    await registration("b.com")
    expect(calls).toHaveLength(1)
    pass(60_001)
    await registration("c.com")
    expect(calls).toHaveLength(2)
  })

  test("when disabled, no request is sent", async () => {
    const { needs, calls } = network({})
    expect(await createRdap({ ...needs, bootstrapUrl: null }).registration("a.com")).toEqual({ kind: "failure" })
    expect(calls).toEqual([])
  })
})

describe("Gravatar", () => {
  const BASE = "https://gravatar.test/avatar"
  // The example of docs.gravatar.com, "Creating the hash".
  const HASH = "84059b07d4be67b806386c0aad8070a23f18836bbaae342275dc0a83414c32ee"
  // By default pictures rated above "G" are withheld, and with d=404 they are a 404 like a missing one ("Rating").
  const URL = `${BASE}/${HASH}?d=404&s=1&r=x`

  test.each<[string, () => Reply, boolean | null]>([
    ["a picture", status(200), true],
    ["no picture", status(404), false],
    ["an error", status(500), null],
    ["a redirect is not an answer", status(302, { location: "https://elsewhere.test/" }), null],
    ["an unreachable server", () => "unreachable", null],
  ])("%s", async (_, reply, expected) => {
    const { needs, calls } = network({ [URL]: reply })
    expect(await createGravatar(BASE, needs).has(" MyEmailAddress@example.com ")).toBe(expected)
    expect(calls).toEqual([URL])
  })

  test("a failure is cached for a minute, and when disabled no request is sent", async () => {
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
