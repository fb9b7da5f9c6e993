import { randomBytes } from "node:crypto"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { DnsAnswer, DoctorDns } from "./dns.ts"
import { Findings, listed } from "./finding.ts"
import type { DoctorNeeds } from "./needs.ts"

/** Whether the resolver answers, and says so when a name does not exist. */
export async function checkResolver({ dns, settings }: DoctorNeeds): Promise<DoctorFinding[]> {
  const findings = new Findings("resolver")
  const topLevels = settings.policy.sandbox ? ["test"] : ["com", "org"]
  const names = topLevels.map((label) => `no-such-name-${randomBytes(8).toString("hex")}.${label}`)
  const [answers, known] = await Promise.all([
    Promise.all(names.map((name) => dns.a(name))),
    Promise.all(settings.doctor.hosts.map((host) => findsAnything(dns, host))),
  ])
  const invented = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  const where = settings.dns ?? "the system's resolver"
  const advice = "run one of your own, such as unbound, and set PROBE_DNS"
  if (invented.length > 0)
    findings.add("fail", where, `invents addresses (${listed(invented)}) for names that do not exist: ${advice}`)
  else if (answers.every(({ kind }) => kind === "failure"))
    findings.add("fail", where, `does not answer (${codesOf(answers)}): check PROBE_DNS, or ${advice}`)
  else if (known.length > 0 && !known.includes(true))
    findings.add("fail", where, `finds none of ${listed(settings.doctor.hosts)}: check PROBE_DNS, or ${advice}`)
  else if (answers.some(({ kind }) => kind !== "no_such_domain"))
    findings.add("warn", where, `did not say clearly that a name does not exist: ${advice}`)
  else findings.add("ok", where, "answers, and says so when a name does not exist")
  return findings.all
}

async function findsAnything(dns: DoctorDns, name: string): Promise<boolean> {
  const answers = await Promise.all([dns.mx(name), dns.a(name)])
  return answers.some(({ kind }) => kind === "records")
}

function codesOf(answers: readonly DnsAnswer[]): string {
  return listed([...new Set(answers.flatMap((answer) => (answer.kind === "failure" ? [answer.code] : [])))])
}
