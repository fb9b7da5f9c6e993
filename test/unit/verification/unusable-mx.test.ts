import { expect, test } from "vitest"
import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"
import { createDns } from "../../../src/adapters/dns/resolver.ts"
import type { Deps } from "../../../src/deps.ts"
import type { DomainFacts } from "../../../src/domain/verdict/evidence.ts"
import { presentDns } from "../../../src/routes/signals/domain-answers.ts"
import { checkQuickly } from "../../../src/services/verification/check-quickly.ts"
import { findMailRoute } from "../../../src/services/verification/find-mail-route.ts"
import { dnsZone } from "../../support/dns-zone.ts"

// What a form for host names makes of a whole MX record: one label with a space in it.
const { fetch } = dnsZone({ "example.com": { MX: [{ host: "10 mx.example.com", preference: 0 }] } })
const dns = createDns({ urls: ["https://dns.test/"], fetch, now: () => 0, memory: createDnsMemory() })

test("MX records that name no host: nobody can say, and DNS is not what is silent", async () => {
  const meter = { admit: async () => undefined } as unknown as Deps["meter"]
  expect(await checkQuickly({ dns, meter }, { email: "alice@example.com" })).toMatchObject({
    status: "unknown",
    mxValid: false,
    note: "the domain's MX records name no host",
  })
  const route = await findMailRoute(dns, "example.com")
  const facts = { domain: "example.com", route, checkedAt: { route: 0 } } as unknown as DomainFacts
  expect(presentDns(facts)).toMatchObject({ exists: true, mx_valid: false, route: "dns_failure" })
})
