import { describe, expect, test } from "vitest"
import { SANDBOX_ADDRESSES } from "../../scripts/sandbox/addresses.ts"
import { firstSettled } from "../support/deps/first-settled.ts"
import { call, postJson } from "../support/stack/api.ts"

interface Deliverability {
  readonly status: string
  readonly sub_status: string | null
  readonly catch_all: boolean
  readonly checks: Record<string, unknown>
}

const query = (email: string) => `email=${encodeURIComponent(email)}`
const validate = (email: string, more = "") =>
  call<Deliverability>("GET", "/validate", { at: `/validate?${query(email)}${more}` })

describe("every sandbox address gets its documented verdict", () => {
  test.concurrent.each(SANDBOX_ADDRESSES)("$address: $about", async ({ address, expect: expected }) => {
    // A host that never answers costs the whole time.
    const timeoutMs = expected.smtp_status === "timeout" ? 2_000 : 15_000
    const { status, body } = await validate(address, `&timeout_ms=${timeoutMs}`)
    expect(status).toBe(200)
    const { checks } = body
    expect({
      status: checks.status,
      sub_status: body.sub_status,
      smtp_status: checks.smtp_status,
      smtp_response_code: checks.smtp_response_code,
      is_catch_all: checks.is_catch_all,
    }).toEqual(expected)
    if (checks.smtp_response_code !== 0) expect(checks.smtp_banner).not.toBe("")
  })
})

describe("a domain whose mail hosts can never take mail", () => {
  const NEVER = ["mx-localhost", "mx-zero", "mx-ip", "mx-msv1", "mx-loopback", "a-is-loopback", "a-is-loopback6"]

  test.concurrent.each(NEVER)("%s.test has no mail host", async (label) => {
    const { body } = await validate(`never@${label}.test`)
    expect(body).toMatchObject({ status: "invalid", sub_status: "domain_not_found" })
    expect(body.checks).toMatchObject({ mx_valid: false, smtp_status: "skipped" })
  })

  test("a list settles its addresses at once, and its problem is the domain", async () => {
    const emails = NEVER.map((label) => `listed@${label}.test`)
    const { body } = await call<{ results: readonly object[] }>("POST", "/validate/bulk", postJson({ emails }))
    for (const result of body.results) expect(result).toMatchObject({ status: "invalid" })
    expect(body.results).toHaveLength(NEVER.length)
  })

  test("one usable mail host is enough", async () => {
    expect((await validate("alice@mx-half-loopback.test")).body.checks).toMatchObject({ status: "valid" })
  })
})

test.each(["spf-after-all", "spf-void-after-all", "spf-loop-after-all", "spf-outer", "spf-inner"])(
  "SPF of %s.test is valid: terms after all are ignored",
  async (label) => {
    const { body } = await call("GET", "/check/dns", { at: `/check/dns?domain=${label}.test` })
    expect(body).toMatchObject({ spf: { state: "valid", problem: null } })
  },
)

describe("a result is stored and served again", () => {
  test("the second call is cached and has the same checks", async () => {
    const first = await validate("carol@mailbox.test")
    const second = await validate("carol@mailbox.test")
    expect(first.body.checks.cached).toBe(false)
    expect(second.body.checks).toEqual({ ...first.body.checks, cached: true })
  })

  test("another spelling of the same mailbox gets the same result", async () => {
    await validate("dora@mailbox.test")
    const { body } = await validate("Dora@MAILBOX.test.")
    expect(body.checks).toMatchObject({ cached: true, email: "Dora@mailbox.test" })
  })

  test("without SMTP there is no probe, and nothing is stored", async () => {
    const { body } = await validate("alice+erika@mailbox.test", "&smtp=false")
    expect(body.checks).toMatchObject({ status: "unknown", smtp_status: "skipped" })
    expect((await validate("alice+erika@mailbox.test")).body.checks).toMatchObject({ status: "valid", cached: false })
  })
})

describe("other forms of the answer", () => {
  test("POST /validate equals GET", async () => {
    const got = await validate("frank@mailbox.test")
    const posted = await call<Deliverability>("POST", "/validate", postJson({ email: "frank@mailbox.test" }))
    expect(posted.body.checks).toEqual({ ...got.body.checks, cached: true })
  })

  test("/validate/checks returns checks, summary and breakdown, or one word per check with ?view=normalized", async () => {
    const at = `/validate/checks?${query("alice@mailbox.test")}`
    const full = await call("GET", "/validate/checks", { at })
    expect(full.body).toMatchObject({ checks: { status: "valid" }, summary: { status: "valid", can_send: true } })
    const words = await call("GET", "/validate/checks", { at: `${at}&view=normalized` })
    expect(words.body.checks).toMatchObject({ smtp: "valid", mailbox: "accepted", syntax: "valid" })
    const posted = await call("POST", "/validate/checks", postJson({ email: "alice@mailbox.test", view: "normalized" }))
    expect(posted.body).toEqual(words.body)
  })

  test("/validate/with-score, /validate/quick and /validate/syntax", async () => {
    const scored = await call("GET", "/validate/with-score", {
      at: `/validate/with-score?${query("alice@mailbox.test")}`,
    })
    expect(scored.body).toMatchObject({ grade: "A", can_send: true })
    const quick = await call("GET", "/validate/quick", { at: `/validate/quick?${query("dave@mailbox.test")}` })
    expect(quick.body).toMatchObject({ status: "unknown", mx_valid: true, cached: false })
    const syntax = await call("GET", "/validate/syntax", { at: "/validate/syntax?email=a..b@mailbox.test" })
    expect(syntax.body).toMatchObject({ valid: false, normalized: "", position: 2 })
  })

  test.each([
    ["implicit-mx.test", true, "implicit_mx"],
    ["mx-unresolvable.test", false, "mx"],
    ["backup.test", true, "mx"],
    ["null-mx.test", false, "null_mx"],
    ["surely-not-there.test", false, "none"],
    ["servfail.test", false, null],
  ])("mx_valid and mx_kind of %s are the same in all answers", async (domain, mx_valid, mx_kind) => {
    // Other suites verify "alice" in lists, which look up fewer facts.
    const email = `mx-valid@${domain}`
    const at = `/validate/quick?${query(email)}`
    const { checks } = (await validate(email)).body
    const quick = await call("GET", "/validate/quick", { at })
    expect(quick.body).toMatchObject({ mx_valid, mx_kind, mx_records: checks.mx_records })
    const intel = await call("GET", "/check/mx-intel", { at: `/check/mx-intel?domain=${domain}&smtp=false` })
    const dns = await call("GET", "/check/dns", { at: `/check/dns?domain=${domain}` })
    const known = await call("GET", "/domain-intel/{domain}", { at: `/domain-intel/${domain}` })
    const mx = { mx_valid, mx_kind }
    expect([checks, intel.body, dns.body, known.body.dns]).toMatchObject([mx, mx, mx, mx])
    const words = await call("GET", "/validate/checks", {
      at: `/validate/checks?${query(`mx-valid@${domain}`)}&view=normalized`,
    })
    const mxWord = mx_valid ? "valid" : mx_kind === null ? expect.any(String) : "invalid"
    expect(words.body.checks).toMatchObject({ mx: mxWord, mx_kind: mx_kind ?? "unknown" })
  })

  test("a deadline is never exceeded", async () => {
    const short = validate("anyone@hang.test", "&timeout_ms=1000")
    expect(await firstSettled({ long: validate("another@hang.test"), short })).toBe("short")
    expect((await short).body.checks).toMatchObject({ status: "unknown", smtp_status: "timeout" })
  })

  test("after the deadline the probe continues in the background, for the next caller", async () => {
    const briefly = async () => (await validate("frank@tarpit.test", "&timeout_ms=1500")).body
    expect(await briefly()).toMatchObject({ status: "unknown", checks: { smtp_status: "timeout" } })
    await expect.poll(briefly, { interval: 1_000 }).toMatchObject({
      status: "invalid",
      checks: { cached: true },
    })
  })
})
