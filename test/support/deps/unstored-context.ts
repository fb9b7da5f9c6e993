import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"
import { createDns } from "../../../src/adapters/dns/resolver.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { dnsZone } from "../mail/dns-zone.ts"
import { testContext } from "./context.ts"

/** A context with DNS by the given zone, and without a stored result of any address. The time is always 0. */
export async function unstoredContext(
  zone: Parameters<typeof dnsZone>[0],
  given: Parameters<typeof testContext>[0] = {},
) {
  const { fetch } = dnsZone(zone)
  return testContext({
    dns: createDns({ urls: ["https://dns.test/"], fetch, now: () => 0, memory: createDnsMemory() }),
    clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
    digests: await createDigests(["p".repeat(32)]),
    flags: { isKnownEmpty: () => true },
    cache: { isKnownMiss: () => true },
    ...given,
  })
}
