import { describe, expect, test } from "vitest"
import { newKey, withKey } from "../support/stack/account.ts"
import { call } from "../support/stack/api.ts"
import { untilStored } from "../support/stack/stored.ts"

interface Signal {
  readonly points: number
  readonly missing: string | null
}
interface Activity {
  readonly activity_score: number | null
  readonly level: string
  readonly last_seen_at: string | null
  readonly signals: readonly (Signal & { readonly signal: string })[]
}
interface Domain {
  readonly deliverability_score: number | null
  readonly reasons: readonly (Signal & { readonly code: string })[]
}

const sum = (signals: readonly Signal[]) => signals.reduce((total, { points }) => total + points, 0)

describe("GET /deliverability/domain/{domain}", () => {
  const find = async (domain: string) => {
    const at = `/deliverability/domain/${domain}`
    return (await call<Domain>("GET", "/deliverability/domain/{domain}", { at })).body
  }

  test.each([
    ["facts.test", { code: "dmarc_enforced", missing: null }],
    ["two-spf.test", { code: "spf_broken", missing: null }],
    ["alias.test", { code: "site_missing", missing: "not_published" }],
    ["null-mx.test", { code: "spf_unknown", missing: "not_applicable" }],
    ["servfail.test", { code: "spf_unknown", missing: "not_applicable" }],
  ])("%s: all signals, whose points add up to the score", async (domain, expected) => {
    const { deliverability_score, reasons } = await find(domain)
    expect(sum(reasons)).toBe(deliverability_score ?? 0)
    expect(reasons.filter(({ code }) => code !== "limit")).toHaveLength(8)
    expect(reasons).toContainEqual(expect.objectContaining(expected))
  })
})

describe("GET /activity", () => {
  const find = async (email: string, init: object = {}, path: "/activity" | "/check/activity" = "/activity") =>
    (await call<Activity>("GET", path, { ...init, at: `${path}?email=${email}` })).body

  test("equals /check/activity, and its points add up to the score", async () => {
    await call("GET", "/score", { at: "/score?email=alice@facts.test" })
    await untilStored("alice@facts.test")
    const body = await find("alice@facts.test")
    expect(body).toMatchObject({ level: expect.stringMatching(/active|likely/), last_seen_at: expect.any(String) })
    expect(sum(body.signals)).toBe(body.activity_score)
    expect(await find("alice@facts.test", {}, "/check/activity")).toEqual(body)
  })

  test("of an unknown mailbox has no score, no points, and a reason for each missing signal", async () => {
    const { signals, ...rest } = await find("unheard-of@never-seen.test")
    expect(rest).toMatchObject({ level: "unknown", activity_score: null })
    expect(sum(signals)).toBe(0)
    expect(signals).toContainEqual(expect.objectContaining({ signal: "verification", missing: "not_verified" }))
  })

  test("includes the account's own reports, and no other account's", async () => {
    const key = await newKey()
    await call("POST", "/received", withKey(key, { at: "/received?email=heidi@mailbox.test" }))
    const own = await find("heidi@mailbox.test", withKey(key))
    expect(own.signals).toContainEqual(expect.objectContaining({ signal: "mail_arrived", points: 45, missing: null }))
    expect(sum(own.signals)).toBe(own.activity_score)
    const stranger = await find("heidi@mailbox.test", withKey(await newKey()))
    expect(stranger.signals).toContainEqual(
      expect.objectContaining({ signal: "mail_arrived", points: 0, missing: "not_reported" }),
    )
  })
})
