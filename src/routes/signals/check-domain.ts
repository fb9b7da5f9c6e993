import { z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { classifyMxHosts } from "../../domain/reference/classify-by-hosts.ts"
import { findOperator, mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import { hasLiveMailHost, mxKindOf } from "../../domain/verification/evidence.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, flag, mxKind, mxValid, wellFormedHost } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { chargeCredits, noCharge, pricesFor } from "../../services/accounts/charge.ts"
import { requireDomain } from "../../services/finder/caller-input.ts"
import { checkDkim, gatherDomain } from "../../services/signals/describe-domain.ts"
import { checkHostBlocklists, type HostView, inspectMailHost } from "../../services/signals/mail-host.ts"
import { companyDomain } from "../finder/fields.ts"
import { Age, Dkim, Dns, presentAge, presentDkim, presentDns } from "./domain-answers.ts"

const endpoint = endpointsOf("signals")

const DomainQuery = z.object({ domain: companyDomain() })

const dns = endpoint("key-optional", "GET /check/dns", {
  operationId: "checkDns",
  summary: "Get a domain's mail records",
  description: "Returns MX, SPF, DKIM, DMARC, MTA-STS and BIMI, read now or from the cache. Costs no credit.",
  query: DomainQuery,
  answer: Dns,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("query").domain)
    const wanted = ["exchangers", "spf", "dkim", "dmarc", "mtaSts", "bimi"] as const
    const facts = await noCharge(c.var.meter, () => gatherDomain(c.var.ctx, { domain, wanted }))
    return presentDns(facts)
  },
})

const dkim = endpoint("key-optional", "GET /check/dkim", {
  operationId: "checkDkim",
  summary: "Find DKIM keys",
  description:
    "Searches DKIM keys at every selector that mail services use. Costs no credit. No key found does not prove that the domain signs no mail.",
  query: DomainQuery,
  answer: Dkim,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("query").domain)
    const dkim = await noCharge(c.var.meter, () => checkDkim(c.var.ctx, domain))
    return presentDkim({ domain, dkim })
  },
})

const Rbl = component("BlocklistCheck", {
  mx_host: z.string(),
  addresses: z.array(z.string()),
  rbl_listed: z.boolean().nullable().openapi({ description: "Null when no list gave a usable answer" }),
  rbl_lists_checked: z.int(),
  rbl_lists_matched: z.array(z.string()),
  lists_not_consulted: z
    .array(z.string())
    .openapi({ description: "Lists that refused, failed their self test or did not answer" }),
  rbl_penalty: z.int().min(-30).max(0),
})

const rbl = endpoint("key-optional", "GET /check/rbl", {
  operationId: "checkRbl",
  summary: "Check blocklists",
  description:
    "Says whether the addresses of a mail host, or one IPv4 address, are on DNS blocklists. Costs no credit. `lists_not_consulted` names lists that gave no answer.",
  query: z.object({
    mx_host: z.string().trim().min(1).max(2_048).openapi({
      pattern: PATTERNS.domain,
      description: "A host name, or an IPv4 address",
      example: "mx.mailbox.test",
    }),
  }),
  answer: Rbl,
  problems: [400],
  async handle(c) {
    const host = wellFormedHost(c.req.valid("query").mx_host, "mx_host")
    const { addresses, finding, penalty } = await noCharge(c.var.meter, () => checkHostBlocklists(c.var.ctx, host))
    const { checked = [], matched = [], notConsulted = [] } = finding ?? {}
    return {
      mx_host: host,
      addresses: [...addresses],
      rbl_listed: checked.length === 0 ? null : matched.length > 0,
      rbl_lists_checked: checked.length,
      rbl_lists_matched: [...matched],
      lists_not_consulted: [...notConsulted],
      rbl_penalty: penalty,
    } satisfies z.infer<typeof Rbl>
  },
})

const domainAge = endpoint("key-optional", "GET /check/domain-age", {
  operationId: "checkDomainAge",
  summary: "Get a domain's age",
  description:
    "Returns the registration date from the domain's registry (RDAP). Costs no credit. Null when the registry does not publish it.",
  query: DomainQuery,
  answer: Age,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("query").domain)
    const facts = await noCharge(c.var.meter, () => gatherDomain(c.var.ctx, { domain, wanted: ["registration"] }))
    return presentAge(facts, c.var.ctx.clock.now())
  },
})

export const checkDomainEndpoints: Endpoint[] = [dns, dkim, rbl, domainAge]

const MxIntel = component("MxIntel", {
  domain: z.string(),
  mx_valid: mxValid,
  mx_kind: mxKind,
  mx_records: z.array(z.string()),
  operator: z.string().nullable().openapi({
    description: "other: an unknown operator; none: no mail host; null: DNS gave no answer",
    example: "google",
  }),
  operator_kind: z.enum(["mailbox", "hosting", "gateway", "forwarding"]).nullable(),
  is_gateway: z.boolean().openapi({ description: "Filters mail for a server behind it, which is not visible" }),
  is_disposable_mx: z.boolean(),
  banner: z.string().nullable(),
  extensions: z.array(z.string()),
  tls: z
    .object({
      offered: z.boolean(),
      protocol: z.string().nullable(),
      authorized: z.boolean().nullable().openapi({ description: "The certificate matches the host's name" }),
    })
    .nullable()
    .openapi({ description: "Null without an SMTP session" }),
  regions: arrayOf({
    region: z.string(),
    node: z.string(),
    mx_host: z.string().nullable(),
    rtt_ms: z.int().nullable().openapi({ description: "Time to connect" }),
    problem: z.string().nullable(),
  }),
})

const mxIntel = endpoint("key-optional", "GET /check/mx-intel", {
  operationId: "checkMxIntel",
  summary: "Inspect a mail server",
  description:
    "Returns the operator of a domain's mail, and the greeting and TLS of its server. Costs one credit if the server answers. With `smtp=false` it reads DNS only and is free.",
  query: z.object({ domain: companyDomain(), smtp: flag(true, "Connect to the mail server from each region") }),
  answer: MxIntel,
  problems: [400],
  async handle(c) {
    const { domain: given, smtp } = c.req.valid("query")
    const domain = requireDomain(given)
    const accountId = accountOf(c.var.caller)
    const { facts, views } = await chargeCredits(
      c.var.meter,
      {
        most: smtp ? pricesFor(c.var.ctx, accountId).ofWork({ domain }, 1) : 0,
        costOf: ({ views }) => (views.some(({ session }) => session) ? 1 : 0),
      },
      async () => {
        const facts = await gatherDomain(c.var.ctx, { domain, wanted: ["exchangers"] })
        const views = smtp ? await inspectMailHost(c.var.ctx, { accountId, domain, route: facts.route }) : []
        return { facts, views }
      },
    )
    const hosts = mailHostsOf(facts.route)
    const operator = findOperator(hosts[0])
    return {
      domain,
      mx_valid: hasLiveMailHost(facts),
      mx_kind: mxKindOf(facts.route),
      mx_records: hosts,
      operator: facts.route.kind === "dns_failure" ? null : operatorOf(hosts[0]),
      operator_kind: operator?.kind ?? null,
      is_gateway: operator?.kind === "gateway",
      is_disposable_mx: classifyMxHosts(hosts).isDisposable,
      ...presentSession(views),
      regions: views.map(({ region, nodeId, session, problem }) => ({
        region,
        node: nodeId,
        mx_host: session?.mxHost ?? null,
        rtt_ms: session ? Math.round(session.connectMs) : null,
        problem,
      })),
    } satisfies z.infer<typeof MxIntel>
  },
})

function presentSession(views: readonly HostView[]): Pick<z.infer<typeof MxIntel>, "banner" | "extensions" | "tls"> {
  const session = views.find((view) => view.session?.greeting)?.session ?? null
  if (!session) return { banner: null, extensions: [], tls: null }
  const { greeting, extensions, tls } = session
  const offered = tls !== null || extensions.some((name) => name.toUpperCase() === "STARTTLS")
  return {
    banner: greeting?.text ?? null,
    extensions: [...extensions],
    tls: { offered, protocol: tls?.protocol ?? null, authorized: tls?.authorized ?? null },
  }
}

export const mxIntelEndpoints: Endpoint[] = [mxIntel]
