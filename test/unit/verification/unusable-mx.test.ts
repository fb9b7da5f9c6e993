import { expect, test } from "vitest"
import type { DomainFacts } from "../../../src/domain/verification/evidence.ts"
import { presentDns } from "../../../src/routes/signals/domain-answers.ts"
import { findMailRoute } from "../../../src/services/verification/find-facts.ts"
import { checkQuickly } from "../../../src/services/verification/quick-checks.ts"
import { testMeter } from "../../support/deps/context.ts"
import { unstoredContext } from "../../support/deps/unstored-context.ts"

// The result of entering a whole MX record into a form for host names: one label with a space.
const ctx = await unstoredContext({ "example.com": { MX: [{ host: "10 mx.example.com", preference: 0 }] } })

test("MX records without a usable host are unknown, and not a DNS failure", async () => {
  const asked = { email: "alice@example.com", accountId: null }
  expect(await checkQuickly(ctx, testMeter(), asked)).toMatchObject({
    status: "unknown",
    mxValid: false,
    note: "the domain's MX records name no host",
  })
  const route = await findMailRoute(ctx.dns, "example.com")
  const facts = { domain: "example.com", route, checkedAt: { route: 0 } } as unknown as DomainFacts
  expect(presentDns(facts)).toMatchObject({ exists: true, mx_valid: false, route: "dns_failure" })
})
