import { expect, test } from "vitest"
import { call } from "../support/stack/api.ts"

const get = (path: string, query: Record<string, string>) =>
  call("GET", path, { at: `${path}?${new URLSearchParams(query)}` })

const at = (template: string, value: string) =>
  call("GET", template, { at: template.replace("{domain}", encodeURIComponent(value)) })

test.each([
  ["mailbox.test", true, ["s1"], "key", "present", "dkim_present"],
  ["revoked-dkim.test", false, [], null, "missing", "dkim_not_found"],
  ["unusual-dkim.test", null, [], "name", "unknown", "dkim_unknown"],
  ["implicit-mx.test", false, [], null, "missing", "dkim_not_found"],
])("every answer about the DKIM keys of %s agrees", async (domain, present, selectors, shownBy, word, code) => {
  const answers = async () => {
    const email = `alice@${domain}`
    const [dns, intel, deliverability, comparison, checks, summary] = await Promise.all([
      get("/check/dns", { domain }),
      at("/domain-intel/{domain}", domain),
      at("/deliverability/domain/{domain}", domain),
      at("/cohort/{domain}", domain),
      get("/validate/checks", { email }),
      get("/validate/checks", { email, view: "normalized" }),
    ])
    const reasons = deliverability.body.reasons as { code: string }[]
    const traits = comparison.body.comparison as { trait: string; domain_has: boolean | null }[]
    return {
      dns: dns.body.dkim_present,
      intel: (intel.body.dns as { dkim_present: boolean | null }).dkim_present,
      reasons: reasons.flatMap(({ code }) => (code.startsWith("dkim") ? [code] : [])),
      cohort: traits.find(({ trait }) => trait === "dkim")?.domain_has,
      checks: (checks.body.checks as { dkim_present: boolean }).dkim_present,
      summary: (summary.body.checks as { dkim: string }).dkim,
    }
  }
  const expected = { dns: present, intel: present, cohort: present, reasons: [code] }
  expect(await answers()).toEqual({ ...expected, checks: present === true, summary: word })
  expect((await get("/check/dkim", { domain })).body).toEqual({
    ...{ domain, dkim_present: present, selectors, shown_by: shownBy },
  })
  expect(await answers()).toEqual({ ...expected, checks: present === true, summary: word })
})
