import { createRoute, z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { classifyMxHosts } from "../../domain/reference/classify-by-hosts.ts"
import { findOperator, mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import { hasLiveMailHost, mxKindOf } from "../../domain/verification/evidence.ts"
import { mxKind, mxValid } from "../../http/domain-fields.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { flag } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { chargeCredits } from "../../services/accounts/charge.ts"
import { requireDomain } from "../../services/finder/require-domain.ts"
import { gatherDomain } from "../../services/signals/gather-domain.ts"
import { type HostView, inspectMailHost } from "../../services/signals/inspect-mail-host.ts"
import { companyDomain } from "../finder/person-fields.ts"

const MxIntel = z
  .object({
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
    regions: z.array(
      z.object({
        region: z.string(),
        node: z.string(),
        mx_host: z.string().nullable(),
        rtt_ms: z.int().nullable().openapi({ description: "Time to connect" }),
        problem: z.string().nullable(),
      }),
    ),
  })
  .openapi("MxIntel")

const mxIntel = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/check/mx-intel",
    operationId: "checkMxIntel",
    tags: ["signals"],
    summary: "Inspect a mail server",
    description:
      "Returns the operator of a domain's mail, and the greeting and TLS of its server. Costs one credit if the server answers. With `smtp=false` it reads DNS only and is free.",
    request: {
      query: z.object({ domain: companyDomain(), smtp: flag(true, "Connect to the mail server from each region") }),
    },
    responses: { 200: ok(MxIntel), ...problem(400) },
  }),
  async (c) => {
    const { ctx } = c.var
    const { domain: given, smtp } = c.req.valid("query")
    const domain = requireDomain(given)
    const { facts, views } = await chargeCredits(
      c.var.meter,
      { most: smtp ? 1 : 0, costOf: ({ views }) => (views.some(({ session }) => session) ? 1 : 0) },
      async () => {
        const facts = await gatherDomain(ctx, { domain, wanted: ["exchangers"] })
        const views = smtp
          ? await inspectMailHost(ctx, { accountId: accountOf(c.var.caller), domain, route: facts.route })
          : []
        return { facts, views }
      },
    )
    const hosts = mailHostsOf(facts.route)
    const operator = findOperator(hosts[0])
    const answer: z.infer<typeof MxIntel> = {
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
    }
    return c.json(answer, 200)
  },
)

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
