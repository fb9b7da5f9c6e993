import { randomBytes } from "node:crypto"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { DoctorDeps } from "./deps.ts"
import type { DnsAnswer, DoctorDns } from "./dns.ts"
import { Findings, listed } from "./finding.ts"

/**
 * Checks that the resolver answers, and reports names that do not exist. A private network may resolve its own names only:
 * one of the doctor's hosts is then enough.
 */
export async function checkResolver({ dns, settings }: DoctorDeps): Promise<DoctorFinding[]> {
  const findings = new Findings("resolver")
  const topLevels = settings.policy.sandbox ? ["test"] : ["com", "org"]
  const names = topLevels.map((label) => `no-such-name-${randomBytes(8).toString("hex")}.${label}`)
  const [answers, known] = await Promise.all([
    Promise.all(names.map((name) => dns.a(name))),
    Promise.all(settings.doctor.hosts.map((host) => hasRecords(dns, host))),
  ])
  const invented = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  const where = settings.dns ?? "the system's resolver"
  const advice = "run your own, such as unbound, and set PROBE_DNS"
  if (invented.length > 0)
    findings.add("fail", where, `returns addresses (${listed(invented)}) for names that do not exist: ${advice}`)
  else if (answers.every(({ kind }) => kind === "failure") && !known.includes(true))
    findings.add("fail", where, `does not answer (${codesOf(answers)}): check PROBE_DNS, or ${advice}`)
  else if (known.length > 0 && !known.includes(true))
    findings.add(
      "fail",
      where,
      `resolves none of ${listed(settings.doctor.hosts)}: check PROBE_DNS and PROBE_DOCTOR_HOSTS, or ${advice}`,
    )
  else if (answers.some(({ kind }) => kind !== "no_such_domain"))
    findings.add("warn", where, `does not answer NXDOMAIN for a name that does not exist: ${advice}`)
  else findings.add("ok", where, "answers, and reports names that do not exist")
  return findings.all
}

async function hasRecords(dns: DoctorDns, name: string): Promise<boolean> {
  const answers = await Promise.all([dns.mx(name), dns.a(name)])
  return answers.some(({ kind }) => kind === "records")
}

function codesOf(answers: readonly DnsAnswer[]): string {
  return listed([...new Set(answers.flatMap((answer) => (answer.kind === "failure" ? [answer.code] : [])))])
}
