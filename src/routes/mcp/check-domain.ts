import { z } from "zod"
import { DeliverabilityAnswer, DomainIntel } from "../signals/intelligence.ts"
import { pathStep, READS_INTERNET, type ToolAnswer, tool } from "./tool.ts"
import { isNamed } from "./verify-email.ts"

const { shape } = DomainIntel
const dns = shape.dns.shape

const Domain = z.object({
  domain: z.string(),
  accepts_mail: dns.mx_valid.describe("The domain has a mail host with an address"),
  mx_kind: dns.mx_kind,
  mail_hosts: z.array(z.string()),
  mail_operator: z.string().describe("Such as google or microsoft"),
  is_catch_all: shape.is_catch_all.describe("The domain accepts every address, by stored probes; null when unknown"),
  is_disposable: z.boolean(),
  is_free_provider: z.boolean(),
  age_days: z.int().nullable().describe("Days since the registration; null when unknown"),
  web_presence: shape.web_presence,
  spf_valid: dns.spf_valid,
  dkim_present: dns.dkim_present,
  dmarc_policy: z.string().nullable().describe("Null without a DMARC record"),
  score: DeliverabilityAnswer.shape.deliverability_score.describe(
    "How well the domain is set up for mail; null when DNS gave no answer",
  ),
  problems: z
    .array(z.object({ problem: z.string(), fix: z.string().describe("What the domain's owner can do") }))
    .describe("What to improve"),
})

type Intel = z.output<typeof DomainIntel>
type Rating = z.output<typeof DeliverabilityAnswer>

/** What an agent needs to know about a domain, from its description and the rating of its setup. */
export function presentDomain(intel: Intel, rating: Rating): ToolAnswer<z.input<typeof Domain>> {
  const { domain, dns, age, provider, is_catch_all, is_disposable, is_free_provider, web_presence } = intel
  const problems = rating.reasons.flatMap(({ message, fix }) => (fix === null ? [] : [{ problem: message, fix }]))
  const answer = {
    domain,
    accepts_mail: dns.mx_valid,
    mx_kind: dns.mx_kind,
    mail_hosts: dns.mx_records,
    mail_operator: provider,
    is_catch_all,
    is_disposable,
    is_free_provider,
    age_days: age.domain_age_days,
    web_presence,
    spf_valid: dns.spf_valid,
    dkim_present: dns.dkim_present,
    dmarc_policy: dns.dmarc?.policy ?? null,
    score: rating.deliverability_score,
    problems,
  }
  return { answer, text: textOf(answer) }
}

function textOf({ domain, accepts_mail, mx_kind, score, problems, ...rest }: z.input<typeof Domain>): string {
  const accepts = mx_kind === null ? "DNS gave no answer" : accepts_mail ? "accepts mail" : "accepts no mail"
  const kinds = [
    ...(rest.is_catch_all ? ["accepts every address"] : []),
    ...(rest.is_disposable ? ["disposable"] : []),
    ...(rest.is_free_provider ? ["a free provider"] : []),
  ]
  const operator = isNamed(rest.mail_operator) ? ` Operator: ${rest.mail_operator}.` : ""
  const hosts = rest.mail_hosts.length > 0 ? ` Mail hosts: ${rest.mail_hosts.join(", ")}.` : ""
  const dmarc = rest.dmarc_policy === null ? "no DMARC policy" : `DMARC policy ${rest.dmarc_policy}`
  return [
    `${[`${domain}: ${accepts}`, ...kinds].join(", ")}.${operator}${hosts} Setup: ${score ?? "unknown"} of 100.`,
    `SPF ${foundWord(rest.spf_valid, "valid")}, DKIM ${foundWord(rest.dkim_present, "present")}, ${dmarc}.`,
    ...problems.map(({ problem, fix }) => `- ${problem}: ${fix}`),
  ].join("\n")
}

function foundWord(found: boolean | null, word: string): string {
  return found === null ? "unknown" : found ? word : `not ${word}`
}

export const checkDomain = tool({
  name: "check_domain",
  title: "Check a mail domain",
  description:
    "Describes a domain: whether it accepts mail, its mail operator, catch-all and disposable, age, SPF, DKIM and DMARC, and what its owner can improve. " +
    "Use it for a question about a domain. It says nothing about one mailbox: use verify_email for that. Free; counts as one request.",
  input: z.object({ domain: z.string().min(1).describe("Such as example.com") }),
  output: Domain,
  hints: READS_INTERNET,
  async run(api, { domain }) {
    const at = pathStep(domain)
    const [intel, rating] = await Promise.all([
      api.call<Intel>("GET", `/domain-intel/${at}`),
      api.call<Rating>("GET", `/deliverability/domain/${at}`),
    ])
    return presentDomain(intel, rating)
  },
})
