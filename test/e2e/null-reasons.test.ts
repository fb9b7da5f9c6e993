import { describe, expect, test } from "vitest"
import { nullsWithoutReason } from "../support/deps/null-fields.ts"
import { withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { getByEmail } from "../support/stack/get-by-email.ts"
import { newAccount, waitForJobEnd } from "../support/stack/jobs.ts"
import { untilStored } from "../support/stack/stored.ts"

interface Explained {
  readonly null_reasons: Record<string, string>
  readonly gravatar: boolean | null
  readonly web_presence: string | null
}
type Full = Explained & { readonly checks: Explained }

const OFF = "&rbl=false&gravatar=false&web_presence=false&domain_age=false"

test.each([
  ["alice@facts.test", "", { gravatar: true, web_presence: "live" }, {}],
  ["alice@parked.test", "", { web_presence: "parked" }, {}],
  ["alice@web-facts.test", "", { web_presence: "none" }, { domain_age_days: "no_answer" }],
  [
    "zoe@mailbox.test",
    OFF,
    { gravatar: null, web_presence: null },
    {
      gravatar: "not_requested",
      web_presence: "not_requested",
      domain_age_days: "not_requested",
      breach_found: "not_requested",
      breach_count: "not_requested",
      ml_score: "not_requested",
    },
  ],
  ["yves@mailbox.test", "&smtp=false", {}, { ml_score: "not_requested" }],
  ["zoe@mailbox.test", "&breach=true&enrich=true&explain=true", {}, {}],
  [
    "alice.mailbox.test",
    "&breach=true&enrich=true",
    { gravatar: null, web_presence: null },
    { gravatar: "not_applicable", breach_found: "not_applicable", ml_score: "not_applicable" },
  ],
  ["alice@no-such-domain.test", "", { web_presence: "none" }, { domain_age_days: "not_applicable" }],
])("GET /validate?email=%s%s", async (email, more, found, reasons) => {
  const { body } = await getByEmail<Full>("/validate", email, { more })
  expect(body.checks).toMatchObject({ ...found, null_reasons: reasons })
  expect(body).toMatchObject(found)
  expect(nullsWithoutReason(body)).toEqual([])
})

test("GET /validate?smtp=false says why there is no sub_status", async () => {
  const { body } = await getByEmail<Full>("/validate", "yves@mailbox.test", { more: "&smtp=false" })
  expect(body).toMatchObject({ sub_status: null, null_reasons: { sub_status: "not_requested" } })
})

test("GET /validate: primary_risk names the blocklist of the mail host", async () => {
  const { body } = await getByEmail("/validate", "alice@listed.test")
  expect(body).toMatchObject({ deliverability_score: { primary_risk: "blocklisted:rbl.test" } })
  const checks = await getByEmail("/validate/checks", "alice@listed.test")
  expect(checks.body).toMatchObject({ summary: { primary_risk: "blocklisted:rbl.test" } })
})

describe("the same checks through every endpoint", () => {
  const email = "alice@facts.test"
  test.each([
    ["/validate/checks", ""],
    ["/validate/checks", "&view=normalized"],
    ["/validate/with-score", "&enrich=true"],
    ["/validate/fast", ""],
  ])("GET %s%s", async (path, more) => {
    await getByEmail("/validate", email)
    await untilStored(email)
    const { body } = await getByEmail<{ checks: Explained }>(path, email, { more })
    expect(nullsWithoutReason(body)).toEqual([])
    if (more !== "&view=normalized") expect(body.checks).toMatchObject({ gravatar: true, web_presence: "live" })
  })

  test("POST /validate/bulk/async: a list requests no optional check", async () => {
    const account = await newAccount()
    const started = await call<{ job_id: string }>(
      "POST",
      "/validate/bulk/async",
      withKey(account, postJson({ emails: ["user1@d0941.test"] })),
    )
    const { results } = await waitForJobEnd(started.body.job_id, account.headers)
    expect(nullsWithoutReason(results!)).toEqual([])
    expect(results).toMatchObject([
      { checks: { null_reasons: { gravatar: "not_requested", web_presence: "not_requested" } } },
    ])
  })
})
