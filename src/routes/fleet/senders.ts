import { createRoute, z } from "@hono/zod-openapi"
import { DOCTOR_RESULTS } from "../../../schema/vocabulary.ts"
import type { SenderDomain } from "../../adapters/store/fleet/fleet-records.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { ok, problem } from "../../http/responses.ts"
import { round } from "../../http/round.ts"
import { wellFormedDomain } from "../../http/well-formed.ts"
import { findGreylisting } from "../../services/fleet/find-greylisting.ts"
import { listSenderDomains } from "../../services/fleet/list-sender-domains.ts"
import { registerSenderDomain } from "../../services/fleet/register-sender-domain.ts"

const SenderDomainView = z
  .object({
    domain: z.string(),
    status: z.enum(DOCTOR_RESULTS).openapi({ description: "The worst result of its findings" }),
    registered_at: z.iso.datetime(),
    checked_at: z.iso.datetime(),
    findings: z.array(
      z.object({
        check: z.enum(["mx", "spf", "ptr", "dkim"]),
        result: z.enum(DOCTOR_RESULTS),
        subject: z.string().nullable(),
        detail: z.string().openapi({ description: "The finding and its fix" }),
      }),
    ),
  })
  .openapi("SenderDomain")

const list = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/sender-domains",
    operationId: "listSenderDomains",
    tags: ["senders"],
    summary: "List the sender domains",
    description:
      "Returns the sender domains of your own nodes with their last check. The admin secret covers all nodes.",
    responses: { 200: ok(z.object({ domains: z.array(SenderDomainView) })) },
  }),
  async (c) => {
    const found = await listSenderDomains(c.var.ctx, c.var.caller)
    return c.json({ domains: found.map(presentDomain) }, 200)
  },
)

const register = endpoint(
  "admin",
  createRoute({
    method: "post",
    path: "/sender-domains/register",
    operationId: "registerSenderDomain",
    tags: ["senders"],
    summary: "Register a sender domain",
    description:
      "Adds a sender domain and checks its SPF, DKIM, mail hosts and PTR records. `findings` has a fix for each problem. The domain must exist.",
    request: { query: z.object({ domain: z.string().openapi({ example: "mailverdict.test" }) }) },
    responses: { 200: ok(SenderDomainView), ...problem(400, 503) },
  }),
  async (c) => {
    const domain = wellFormedDomain(c.req.valid("query").domain)
    return c.json(presentDomain(await registerSenderDomain(c.var.ctx, domain)), 200)
  },
)

const greylist = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/greylist",
    operationId: "greylist",
    tags: ["senders"],
    summary: "List deferred addresses",
    description:
      "Counts the addresses of your account that mail servers deferred, and when they are tried again. The admin secret covers all accounts and the shared nodes.",
    responses: {
      200: ok(
        z
          .object({
            waiting: z.int().openapi({ description: "Addresses that will be probed again" }),
            due: z.int().openapi({ description: "Of these, the addresses due now" }),
            next_at: z.iso.datetime().nullable(),
            operators: z.array(z.object({ operator: z.string(), deferred_24h: z.int(), share: z.number() })),
          })
          .openapi("Greylist"),
      ),
    },
  }),
  async (c) => {
    const { waiting, due, nextDueAt, operators } = await findGreylisting(c.var.ctx, c.var.caller)
    return c.json(
      {
        waiting,
        due,
        next_at: iso(nextDueAt),
        operators: operators.map(({ operator, deferred, share }) => ({
          operator,
          deferred_24h: deferred,
          share: round(share),
        })),
      },
      200,
    )
  },
)

const WORST_FIRST = ["fail", "warn", "unknown", "ok"] as const

function presentDomain({ domain, registeredAt, checkedAt, findings }: SenderDomain): z.infer<typeof SenderDomainView> {
  return {
    domain,
    status: WORST_FIRST.find((word) => findings.some(({ result }) => result === word)) ?? "unknown",
    registered_at: iso(registeredAt),
    checked_at: iso(checkedAt),
    findings: [...findings],
  }
}

export const senderEndpoints: Endpoint[] = [list, register, greylist]
