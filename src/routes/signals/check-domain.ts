import { createRoute, z } from "@hono/zod-openapi"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormedHost } from "../../http/well-formed.ts"
import { noCharge } from "../../services/accounts/charge.ts"
import { requireDomain } from "../../services/finder/require-domain.ts"
import { checkDkim } from "../../services/signals/check-dkim.ts"
import { checkHostBlocklists } from "../../services/signals/check-host-blocklists.ts"
import { gatherDomain } from "../../services/signals/gather-domain.ts"
import { companyDomain } from "../finder/person-fields.ts"
import { Age, Dkim, Dns, presentAge, presentDkim, presentDns } from "./domain-answers.ts"

const DomainQuery = z.object({ domain: companyDomain() })

const dns = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/check/dns",
    operationId: "checkDns",
    tags: ["signals"],
    summary: "Get a domain's mail records",
    description: "Returns MX, SPF, DKIM, DMARC, MTA-STS and BIMI, read now or from the cache. Costs no credit.",
    request: { query: DomainQuery },
    responses: { 200: ok(Dns), ...problem(400) },
  }),
  async (c) => {
    const { ctx } = c.var
    const domain = requireDomain(c.req.valid("query").domain)
    const wanted = ["exchangers", "spf", "dkim", "dmarc", "mtaSts", "bimi"] as const
    const facts = await noCharge(c.var.meter, () => gatherDomain(ctx, { domain, wanted }))
    return c.json(presentDns(facts), 200)
  },
)

const dkim = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/check/dkim",
    operationId: "checkDkim",
    tags: ["signals"],
    summary: "Find DKIM keys",
    description:
      "Searches DKIM keys at every selector that mail services use. Costs no credit. No key found does not prove that the domain signs no mail.",
    request: { query: DomainQuery },
    responses: { 200: ok(Dkim), ...problem(400) },
  }),
  async (c) => {
    const { ctx } = c.var
    const domain = requireDomain(c.req.valid("query").domain)
    const dkim = await noCharge(c.var.meter, () => checkDkim(ctx, domain))
    return c.json(presentDkim({ domain, dkim }), 200)
  },
)

const Rbl = z
  .object({
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
  .openapi("BlocklistCheck")

const rbl = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/check/rbl",
    operationId: "checkRbl",
    tags: ["signals"],
    summary: "Check blocklists",
    description:
      "Says whether the addresses of a mail host, or one IPv4 address, are on DNS blocklists. Costs no credit. `lists_not_consulted` names lists that gave no answer.",
    request: {
      query: z.object({
        mx_host: z
          .string()
          .trim()
          .min(1)
          .max(2_048)
          .openapi({ description: "A host name, or an IPv4 address", example: "mx.mailbox.test" }),
      }),
    },
    responses: { 200: ok(Rbl), ...problem(400) },
  }),
  async (c) => {
    const { ctx } = c.var
    const host = wellFormedHost(c.req.valid("query").mx_host, "mx_host")
    const { addresses, finding, penalty } = await noCharge(c.var.meter, () => checkHostBlocklists(ctx, host))
    const { checked = [], matched = [], notConsulted = [] } = finding ?? {}
    const answer: z.infer<typeof Rbl> = {
      mx_host: host,
      addresses: [...addresses],
      rbl_listed: checked.length === 0 ? null : matched.length > 0,
      rbl_lists_checked: checked.length,
      rbl_lists_matched: [...matched],
      lists_not_consulted: [...notConsulted],
      rbl_penalty: penalty,
    }
    return c.json(answer, 200)
  },
)

const domainAge = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/check/domain-age",
    operationId: "checkDomainAge",
    tags: ["signals"],
    summary: "Get a domain's age",
    description:
      "Returns the registration date from the domain's registry (RDAP). Costs no credit. Null when the registry does not publish it.",
    request: { query: DomainQuery },
    responses: { 200: ok(Age), ...problem(400) },
  }),
  async (c) => {
    const { ctx } = c.var
    const domain = requireDomain(c.req.valid("query").domain)
    const facts = await noCharge(c.var.meter, () => gatherDomain(ctx, { domain, wanted: ["registration"] }))
    return c.json(presentAge(facts, ctx.clock.now()), 200)
  },
)

export const checkDomainEndpoints: Endpoint[] = [dns, dkim, rbl, domainAge]
