import { z } from "@hono/zod-openapi"
import { GRADES } from "../../../schema/vocabulary.ts"
import { assessDomain, MISSING_SIGNALS } from "../../domain/signals/domain-score.ts"
import { AGE_BANDS, type Cohort, SIZE_BANDS } from "../../domain/signals/stored-domains.ts"
import { mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import { gradeOf } from "../../domain/verification/score.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, round, share, wholeNumberOr } from "../../http/fields.ts"
import { noCharge } from "../../services/accounts/charge.ts"
import { requireDomain } from "../../services/finder/caller-input.ts"
import {
  compareDomain,
  type DomainDescription,
  describeDomain,
  gatherDomain,
  listCohorts,
} from "../../services/signals/describe-domain.ts"
import { companyDomain } from "../finder/fields.ts"
import { Age, Dns, presentAge, presentDns } from "./domain-answers.ts"

const endpoint = endpointsOf("signals")

const DomainParam = z.object({ domain: companyDomain() })

export const DomainIntel = component("DomainIntel", "Metadata only: no addresses", {
  domain: z.string(),
  provider: z.string().openapi({ description: "The mail operator, by its MX hosts", example: "google" }),
  is_catch_all: z.boolean().nullable().openapi({
    description: "Whether the domain accepts every address, by the newest conclusive probe; null without one",
  }),
  catch_all_checked_on: z.iso
    .date()
    .nullable()
    .openapi({ description: "Day of that probe, UTC", example: "2026-11-23" }),
  catch_all_probes: z.int().openapi({ description: "Conclusive probes among the newest 20 results" }),
  is_disposable: z.boolean(),
  is_free_provider: z.boolean(),
  is_corporate: z.boolean(),
  is_government: z.boolean(),
  is_education: z.boolean(),
  web_presence: z.enum(["live", "error", "none"]).nullable(),
  parked_at: z.string().nullable(),
  age: Age,
  dns: Dns,
  format: z.object({ format: z.string(), confidence: share, sample_count: z.int() }).nullable(),
  verifications: z.record(z.string(), z.int()).openapi({
    description: "Number of known addresses by status, up to 5,000",
  }),
})

function presentIntel(described: DomainDescription, now: number): z.infer<typeof DomainIntel> {
  const { facts, classes, formats, statuses, catchAll } = described
  const top = formats.formats[0]
  return {
    domain: facts.domain,
    provider: operatorOf(mailHostsOf(facts.route)[0]),
    is_catch_all: catchAll.isCatchAll,
    catch_all_checked_on: catchAll.day,
    catch_all_probes: catchAll.probes,
    is_disposable: classes.isDisposable,
    is_free_provider: classes.isFree,
    is_corporate: classes.isCorporate,
    is_government: classes.isGovernment,
    is_education: classes.isEducation,
    web_presence: facts.web?.site ?? null,
    parked_at: facts.web?.parkedAt ?? null,
    age: presentAge(facts, now),
    dns: presentDns(facts),
    format:
      top && formats.sampleCount > 0
        ? { format: top.format, confidence: round(top.confidence), sample_count: formats.sampleCount }
        : null,
    verifications: { ...statuses },
  }
}

const domainIntel = endpoint("public", "GET /domain-intel/{domain}", {
  operationId: "domainIntel",
  summary: "Get what is known of a domain",
  description:
    "Returns the mail operator, records, classes and catch-all result of a domain. Needs no key and costs no credit. At most 60 domains a minute for a network.",
  params: DomainParam,
  answer: DomainIntel,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("param").domain)
    return presentIntel(await describeDomain(c.var.ctx, { domain, clientIp: clientIpOf(c) }), c.var.ctx.clock.now())
  },
})

const CohortShape = component("Cohort", {
  operator: z.string(),
  age_band: z.enum(AGE_BANDS),
  size_band: z.enum(SIZE_BANDS),
  domain_count: z.int(),
  spf_share: share.nullable().openapi({ description: "Null when unknown for all domains" }),
  dkim_share: share.nullable(),
  dmarc_share: share.nullable(),
  rbl_listed_share: share.nullable(),
})

function presentCohort(cohort: Cohort): z.infer<typeof CohortShape> {
  return {
    operator: cohort.operator,
    age_band: cohort.ageBand,
    size_band: cohort.sizeBand,
    domain_count: cohort.domains,
    spf_share: round(cohort.spf),
    dkim_share: round(cohort.dkim),
    dmarc_share: round(cohort.dmarc),
    rbl_listed_share: round(cohort.listed),
  }
}

const cohorts = endpoint("key-optional", "GET /cohort", {
  operationId: "listCohorts",
  summary: "List groups of domains",
  description: "Groups the known domains by mail operator, age and size, the largest groups first. Costs no credit.",
  query: z.object({ limit: wholeNumberOr(50, { min: 1, max: 200, description: "Maximum number of groups" }) }),
  answer: z.object({ domains_compared: z.int(), cohorts: z.array(CohortShape) }),
  async handle(c) {
    const { compared, cohorts } = await noCharge(c.var.meter, () => listCohorts(c.var.ctx))
    return { domains_compared: compared, cohorts: cohorts.slice(0, c.req.valid("query").limit).map(presentCohort) }
  },
})

const ComparisonAnswer = component("CohortComparison", {
  domain: z.string(),
  cohort: CohortShape,
  is_widened: z.boolean().openapi({
    description: "True when too few domains share its age and size; the cohort is then all domains of its operator",
  }),
  comparison: arrayOf({
    trait: z.enum(["spf", "dkim", "dmarc", "rbl_listed"]),
    domain_has: z.boolean().nullable(),
    cohort_share: share.nullable(),
    standing: z.enum(["better", "same", "worse", "unknown"]),
  }),
})

const comparison = endpoint("key-optional", "GET /cohort/{domain}", {
  operationId: "compareDomain",
  summary: "Compare a domain with its group",
  description:
    "Compares SPF, DKIM, DMARC and blocklist entries of a domain with those of similar domains. `is_widened` says that its own group was too small. Costs no credit.",
  params: DomainParam,
  answer: ComparisonAnswer,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("param").domain)
    const { own, cohort } = await noCharge(c.var.meter, () => compareDomain(c.var.ctx, domain))
    const row = (trait: "spf" | "dkim" | "dmarc" | "rbl_listed", has: boolean | null, among: number | null) => ({
      trait,
      domain_has: has,
      cohort_share: round(among),
      standing: comparisonOf(
        trait === "rbl_listed" && has !== null ? !has : has,
        trait === "rbl_listed" && among !== null ? 1 - among : among,
      ),
    })
    return {
      domain,
      cohort: presentCohort(cohort),
      is_widened: cohort.isWidened,
      comparison: [
        row("spf", own.hasSpf, cohort.spf),
        row("dkim", own.hasDkim, cohort.dkim),
        row("dmarc", own.hasDmarc, cohort.dmarc),
        row("rbl_listed", own.isListed, cohort.listed),
      ],
    } satisfies z.infer<typeof ComparisonAnswer>
  },
})

/** A good feature is "better" if less than 90 % share it. A missing one is "worse" if more than 10 % have it. */
function comparisonOf(isGood: boolean | null, share: number | null): "better" | "same" | "worse" | "unknown" {
  if (isGood === null || share === null) return "unknown"
  if (isGood) return share < 0.9 ? "better" : "same"
  return share > 0.1 ? "worse" : "same"
}

export const DeliverabilityAnswer = component("DomainDeliverability", {
  domain: z.string(),
  deliverability_score: z.int().min(0).max(100).nullable().openapi({ description: "Null when DNS gave no answer" }),
  grade: z.enum(GRADES).nullable(),
  reasons: arrayOf({
    code: z.string().openapi({ example: "dmarc_missing" }),
    points: z.int(),
    message: z.string(),
    fix: z.string().nullable().openapi({ description: "What the domain's owner can do" }),
    missing: z.enum(MISSING_SIGNALS).nullable().openapi({
      description:
        "Why the signal is missing; null when it is there. `not_published`: by the domain or its registry; `not_configured`: in this service",
    }),
  }).openapi({
    description:
      "Every signal. The points add up to the score, or to 0 without a score; `limit` is what 0 to 100 cuts off",
  }),
})

const deliverability = endpoint("key-optional", "GET /deliverability/domain/{domain}", {
  operationId: "domainDeliverability",
  summary: "Rate a domain's mail setup",
  description:
    "Rates how well a domain is set up to send mail. Each reason has a fix for the domain's owner. Costs no credit.",
  params: DomainParam,
  answer: DeliverabilityAnswer,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("param").domain)
    const wanted = ["exchangers", "spf", "dkim", "dmarc", "mtaSts", "bimi", "registration", "web", "rbl"] as const
    const facts = await noCharge(c.var.meter, () => gatherDomain(c.var.ctx, { domain, wanted }))
    const { score, reasons } = assessDomain(facts, c.var.ctx.clock.now())
    return {
      domain,
      deliverability_score: score,
      grade: score === null ? null : gradeOf(score),
      reasons: reasons.map(({ code, points, message, fix, missing }) => ({ code, points, message, fix, missing })),
    } satisfies z.infer<typeof DeliverabilityAnswer>
  },
})

export const intelligenceEndpoints: Endpoint[] = [domainIntel, cohorts, comparison, deliverability]
