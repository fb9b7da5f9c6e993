import { DOCTOR_CHECKS } from "../../schema/vocabulary.ts"
import type { DoctorReport } from "../../schema/wire/health.ts"
import { checkBlocklists } from "./blocklists.ts"
import { checkClock } from "./clock.ts"
import type { DoctorDeps } from "./deps.ts"
import { addressesOf } from "./dns.ts"
import { checkEgress, testAllSources } from "./egress.ts"
import { checkHelo, checkPtr } from "./names.ts"
import { ownAddresses } from "./own-addresses.ts"
import { checkResolver } from "./resolver.ts"
import { checkSender, checkSenderPolicy } from "./sender.ts"

/** Runs all checks: what the node can reach, and how mail servers see it. Takes up to about 25 s. */
export async function examine(deps: DoctorDeps): Promise<DoctorReport> {
  const { settings, dns } = deps
  const [connections, helo, ...early] = await Promise.all([
    testAllSources(deps),
    addressesOf(dns, settings.heloName),
    checkResolver(deps),
    checkClock(deps),
    checkSender(deps),
  ])
  const own = ownAddresses(settings, { connections, helo, machineIps: deps.machineIps })
  const late = await Promise.all([
    checkEgress(settings, connections),
    checkHelo(deps, own, helo),
    checkPtr(deps, own),
    checkSenderPolicy(deps, own),
    checkBlocklists(deps, own),
  ])
  const found = [...early, ...late].flat()
  const findings = DOCTOR_CHECKS.flatMap((check) => found.filter((finding) => finding.check === check))
  return { ranAt: deps.now(), fit: findings.every(({ result }) => result !== "fail"), findings }
}
