import { z } from "@hono/zod-openapi"
import { DOCTOR_RESULTS } from "../../../schema/vocabulary.ts"
import type { SenderDomain } from "../../adapters/store/fleet/fleet-records.ts"
import { DAY_MS, dayOf, iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, round, wellFormedDomain, wholeNumberOr } from "../../http/fields.ts"
import { domainName } from "../../http/input-fields.ts"
import { findGreylisting } from "../../services/fleet/find-greylisting.ts"
import { listSenderDomains, registerSenderDomain } from "../../services/fleet/sender-domains.ts"

const endpoint = endpointsOf("senders")

const SenderDomainView = component("SenderDomain", {
  domain: z.string(),
  status: z.enum(DOCTOR_RESULTS).openapi({ description: "The worst result of its findings" }),
  registered_at: z.iso.datetime(),
  checked_at: z.iso.datetime(),
  findings: arrayOf({
    check: z.enum(["mx", "spf", "ptr", "dkim"]),
    result: z.enum(DOCTOR_RESULTS),
    subject: z.string().nullable(),
    detail: z.string().openapi({ description: "The finding and its fix" }),
  }),
})

const list = endpoint("key-or-admin", "GET /sender-domains", {
  operationId: "listSenderDomains",
  summary: "List the sender domains",
  description: "Returns the sender domains of your own nodes with their last check. The admin secret covers all nodes.",
  answer: z.object({ domains: z.array(SenderDomainView) }),
  async handle(c) {
    const found = await listSenderDomains(c.var.ctx, c.var.caller)
    return { domains: found.map(presentDomain) }
  },
})

const register = endpoint("admin", "POST /sender-domains/register", {
  operationId: "registerSenderDomain",
  summary: "Register a sender domain",
  description:
    "Adds a sender domain and checks its SPF, DKIM, mail hosts and PTR records. `findings` has a fix for each problem. The domain must exist.",
  query: z.object({ domain: domainName().openapi({ example: "mailverdict.test" }) }),
  answer: SenderDomainView,
  problems: [400, 503],
  async handle(c) {
    const domain = wellFormedDomain(c.req.valid("query").domain)
    return presentDomain(await registerSenderDomain(c.var.ctx, domain))
  },
})

const greylist = endpoint("key-or-admin", "GET /greylist", {
  operationId: "greylist",
  summary: "List deferred addresses",
  description:
    "Counts the addresses of your account that mail servers deferred, and when they are tried again. The admin secret covers all accounts and the shared nodes.",
  answer: component("Greylist", {
    waiting: z.int().openapi({ description: "Addresses that will be probed again" }),
    due: z.int().openapi({ description: "Of these, the addresses due now" }),
    next_at: z.iso.datetime().nullable(),
    operators: arrayOf({ operator: z.string(), deferred_24h: z.int(), share: z.number() }),
  }),
  async handle(c) {
    const { waiting, due, nextDueAt, operators } = await findGreylisting(c.var.ctx, c.var.caller)
    return {
      waiting,
      due,
      next_at: iso(nextDueAt),
      operators: operators.map(({ operator, deferred, share }) => ({
        operator,
        deferred_24h: deferred,
        share: round(share),
      })),
    }
  },
})

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

const amount = (description: string) => z.int().openapi({ description })

const answers = endpointsOf("fleet")("admin", "GET /fleet/answers", {
  operationId: "fleetAnswers",
  summary: "Get answers by mail operator",
  description:
    "Counts how mail operators answered the probes of all nodes, by day. One answer for each probed recipient, random ones of catch-all checks and canaries included. Failed connections and unclear replies are no answers. An instance of the service writes its counts with a probe, at most every ten seconds. They stay for 30 days.",
  query: z.object({
    days: wholeNumberOr(7, { min: 1, max: 30, description: "Days up to today, such as 7 or 30" }),
  }),
  answer: component("FleetAnswers", {
    from: z.iso.date().openapi({ description: "First day, UTC", example: "2026-11-20" }),
    to: z.iso.date().openapi({ description: "Today, UTC", example: "2026-11-26" }),
    answers: arrayOf({
      date: z.iso.date().openapi({ example: "2026-11-26" }),
      operator: z
        .string()
        .openapi({ example: "google", description: "A known mail operator; `other`: all unknown ones together" }),
      accepted: amount("The mail server accepted the recipient, or its mailbox is full"),
      refused: amount("The mail server said that there is no such mailbox, or that it is disabled"),
      deferred: amount("The mail server asked for a later retry, as with greylisting"),
      blocked: amount("The mail server refused our source address or sender"),
    }).openapi({ description: "By day and operator. A day without answers of an operator has no entry" }),
  }),
  async handle(c) {
    const now = c.var.ctx.clock.now()
    const from = dayOf(now - (c.req.valid("query").days - 1) * DAY_MS)
    const found = await c.var.ctx.store.fleetRecords.answersSince(from)
    return { from, to: dayOf(now), answers: found.map(({ day, ...rest }) => ({ date: day, ...rest })) }
  },
})

export const answerEndpoints: Endpoint[] = [answers]
