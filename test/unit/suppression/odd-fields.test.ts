import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Inbound } from "../../../src/adapters/suppression/inbound.ts"
import { readers, SAMPLES } from "./provider-samples.ts"
import { OF_SEVERAL, type Sample } from "./ses-samples.ts"

const ODD = [null, [], {}, "", "text", 0, 7, -1.5, 1e300, true, false, [null], { a: null }, ["text"]]
/** Read as absent in every field. */
const ABSENT = ODD.filter((value) => value === null || value === "" || typeof value === "object")

type Path = readonly string[]
type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Paths of all fields, nested ones included. */
function pathsOf(value: unknown, at: Path = []): Path[] {
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : []
  return fields.flatMap(([name, inner]) => [[...at, name], ...pathsOf(inner, [...at, name])])
}

function withValue(event: unknown, [name, ...rest]: Path, value: unknown): Json {
  if (name === undefined) return value as Json
  const inner = (event as Record<string, unknown>)[name]
  const changed = rest.length > 0 ? withValue(inner, rest, value) : (value as Json)
  if (Array.isArray(event)) return event.with(Number(name), changed) as Json[]
  return { ...(event as object), [name]: changed }
}

/** Whether one path is the other's, or leads to it. */
const touches = (path: Path, names: readonly string[] = []) =>
  names.some((name) => `${name}.`.startsWith(`${path.join(".")}.`) || `${path.join(".")}.`.startsWith(`${name}.`))

function eventsOf(inbound: Inbound) {
  if (inbound.kind !== "events") throw new Error(`the request is ${inbound.kind}`)
  return inbound
}

/** What is recorded, without the facts that come from the changed field. */
function factsOf(inbound: Inbound, path: Path, { times, codes }: Sample) {
  const { events, ignored, unreadable } = eventsOf(inbound)
  return {
    ignored,
    unreadable,
    events: events.map(({ at, code, ...rest }) => ({
      ...rest,
      ...(touches(path, times) ? {} : { at }),
      ...(touches(path, codes) ? {} : { code }),
    })),
  }
}

describe.each(SAMPLES)("$name", (sample) => {
  const read = readers[sample.provider]
  const paths = pathsOf(sample.event)
  const optional = paths.filter((path) => !touches(path, sample.identity))

  test("is recorded", async () => {
    const { events, ignored, unreadable } = eventsOf(await read(sample.event))
    expect([events.length, ignored, unreadable]).toEqual([1, 0, 0])
    expect(events[0]).toMatchObject({ email: "user1@d0301.test", at: expect.any(Number) })
  })

  test("is the same record with an odd value in any other field", async () => {
    const expected = await read(sample.event)
    for (const path of optional)
      for (const value of touches(path, sample.kinds) ? ABSENT : ODD) {
        const found = await read(withValue(sample.event, path, value))
        const label = `${path.join(".")} = ${JSON.stringify(value)}`
        expect([label, factsOf(found, path, sample)]).toEqual([label, factsOf(expected, path, sample)])
      }
  })

  test("is the same record with an unknown field at any place", async () => {
    const expected = await read(sample.event)
    const objects = [[], ...paths].filter((path) => {
      const inner = path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], sample.event)
      return typeof inner === "object" && inner !== null && !Array.isArray(inner)
    })
    const factsAt = async (path: Path, value: unknown) =>
      factsOf(await read(withValue(sample.event, [...path, "added"], value)), ["added"], sample)
    for (const path of objects)
      for (const value of ODD) expect(await factsAt(path, value)).toEqual(factsOf(expected, ["added"], sample))
  })

  test("is counted, whatever its fields are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue(), async (path, value) => {
        const { events, ignored, unreadable } = eventsOf(await read(withValue(sample.event, path, value)))
        expect(events.length + ignored + unreadable).toBeGreaterThan(0)
      }),
      { numRuns: 60 },
    )
  })

  test("is unreadable without its recipient or its kind", async () => {
    for (const path of paths.filter((one) => touches(one, sample.identity.slice(0, 2))))
      for (const value of ABSENT.filter((one) => !Array.isArray(one) || one[0] !== "text")) {
        const { events, unreadable } = eventsOf(await read(withValue(sample.event, path, value)))
        expect([path.join("."), value, events.length, unreadable]).toEqual([path.join("."), value, 0, 1])
      }
  })
})

test.each(OF_SEVERAL)("an unreadable recipient of a %s costs no other one", async (_, kind, eventOf) => {
  for (const value of [...ODD, { emailAddress: null }, { emailAddress: ["a@d0301.test"] }])
    for (let place = 0; place < 3; place++) {
      const recipients = [1, 2].map((n) => ({ emailAddress: `user${n}@d0301.test` }))
      const { events, unreadable } = eventsOf(
        await readers.ses(eventOf(recipients.toSpliced(place, 0, value as never))),
      )
      expect(events.map((one) => [one.email, one.kind])).toEqual([
        ["user1@d0301.test", kind],
        ["user2@d0301.test", kind],
      ])
      expect(unreadable).toBe(1)
    }
})

const GIVEN = {
  mailgun: { id: "ev0000000000000000001", timestamp: 1_767_225_600.123456, recipient: "user1@d0301.test" },
  bounce: { bounceType: "Permanent", bounceSubType: "General", timestamp: "2026-01-01T00:00:00.000Z" },
  mail: { destination: ["user1@d0301.test"] },
}
const unknownUser = {
  emailAddress: "user1@d0301.test",
  status: "5.1.1",
  diagnosticCode: "smtp; 550 5.1.1 user unknown",
}
const failed = { ...GIVEN.mailgun, event: "failed", severity: "permanent" }
const several = [1, 2, 3, 4].map((n) => ({ emailAddress: `user${n}@d0301.test` }))

test.each([
  [
    "mailgun",
    "delivery-status.code null",
    {
      ...failed,
      reason: "bounce",
      "delivery-status": { code: null, message: "550 5.1.1 User unknown", description: null },
    },
    ["hard_bounce"],
  ],
  ["mailgun", "client-info null", { ...GIVEN.mailgun, event: "complained", "client-info": null }, ["spam_complaint"]],
  [
    "mailgun",
    "delivery-status null",
    { ...failed, reason: "suppress-bounce", "delivery-status": null },
    ["hard_bounce"],
  ],
  [
    "mailgun",
    "client-info.bot null",
    { ...GIVEN.mailgun, event: "opened", "client-info": { bot: null, "client-type": "browser" } },
    ["opened"],
  ],
  [
    "ses",
    "a diagnostic with a history",
    {
      notificationType: "Bounce",
      bounce: {
        ...GIVEN.bounce,
        bouncedRecipients: [
          { ...unknownUser, diagnosticCode: "smtp; 421 4.7.0 try again later; 550 5.1.1 user unknown" },
        ],
      },
      mail: GIVEN.mail,
    },
    ["hard_bounce"],
  ],
  [
    "ses",
    "mail.timestamp null",
    {
      eventType: "Bounce",
      mail: { ...GIVEN.mail, timestamp: null },
      bounce: { ...GIVEN.bounce, bouncedRecipients: [unknownUser] },
    },
    ["hard_bounce"],
  ],
  [
    "ses",
    "other parts null",
    {
      ...{ eventType: "Bounce", complaint: null, delivery: null, mail: GIVEN.mail },
      bounce: { ...GIVEN.bounce, bouncedRecipients: [{ emailAddress: "user1@d0301.test", status: "5.1.1" }] },
    },
    ["hard_bounce"],
  ],
  [
    "ses",
    "complaintSubType null, several recipients",
    {
      eventType: "Complaint",
      complaint: {
        complainedRecipients: several,
        feedbackId: "f1",
        complaintFeedbackType: "abuse",
        complaintSubType: null,
      },
      mail: { destination: several.map(({ emailAddress }) => emailAddress) },
    },
    ["spam_complaint", "spam_complaint", "spam_complaint", "spam_complaint"],
  ],
] as const)("%s with %s", async (provider, _, event, kinds) => {
  const { events, ignored, unreadable } = eventsOf(await readers[provider](event))
  expect(events.map(({ kind }) => kind)).toEqual(kinds)
  expect(events.map(({ email }) => email)).toEqual(kinds.map((_, n) => `user${n + 1}@d0301.test`))
  expect([ignored, unreadable]).toEqual([0, 0])
})
