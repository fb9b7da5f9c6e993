import { DOCTOR_CHECKS } from "../../schema/vocabulary.ts"
import type { DoctorReport } from "../../schema/wire/health.ts"
import { checkBlocklists } from "./blocklists.ts"
import { checkClock } from "./clock.ts"
import { addressesOf } from "./dns.ts"
import { checkEgress, knockEverywhere } from "./egress.ts"
import { checkHelo, checkPtr } from "./names.ts"
import type { DoctorNeeds } from "./needs.ts"
import { ownAddresses } from "./own-addresses.ts"
import { checkResolver } from "./resolver.ts"
import { checkSender, checkSenderPolicy } from "./sender.ts"

/** Examines the node from outside in: what it can reach, and how mail servers will see it. Takes up to about 25 s. */
export async function examine(needs: DoctorNeeds): Promise<DoctorReport> {
  const { settings, dns } = needs
  const [knocks, helo, ...early] = await Promise.all([
    knockEverywhere(needs),
    addressesOf(dns, settings.heloName),
    checkResolver(needs),
    checkClock(needs),
    checkSender(needs),
  ])
  const own = ownAddresses(settings, { knocks, helo, machineIps: needs.machineIps })
  const late = await Promise.all([
    checkEgress(settings, knocks),
    checkHelo(needs, own, helo),
    checkPtr(needs, own),
    checkSenderPolicy(needs, own),
    checkBlocklists(needs, own),
  ])
  const found = [...early, ...late].flat()
  const findings = DOCTOR_CHECKS.flatMap((check) => found.filter((finding) => finding.check === check))
  return { ranAt: needs.now(), fit: findings.every(({ result }) => result !== "fail"), findings }
}
