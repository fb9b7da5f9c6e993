import { createRoute, z } from "@hono/zod-openapi"
import { DOCTOR_RESULTS } from "../../../schema/vocabulary.ts"
import type { SenderDomain } from "../../adapters/store/fleet-records.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { json } from "../../http/fields.ts"
import { iso } from "../../http/present/iso.ts"
import { round } from "../../http/present/round.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormedDomain } from "../../http/well-formed.ts"
import { findGreylisting } from "../../services/fleet/find-greylisting.ts"
import { registerSenderDomain } from "../../services/fleet/register-sender-domain.ts"

const SenderDomainView = z
  .object({
    domain: z.string(),
    status: z.enum(DOCTOR_RESULTS).openapi({ description: "The worst of its findings" }),
    registered_at: z.iso.datetime(),
    checked_at: z.iso.datetime(),
    findings: z.array(
      z.object({
        check: z.enum(["spf", "ptr", "dkim"]),
        result: z.enum(DOCTOR_RESULTS),
        subject: z.string().nullable(),
        detail: z.string().openapi({ description: "What was found, and what to do about it" }),
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
    tags: ["fleet"],
    summary: "Domains in whose name mail servers are asked, as they were last checked",
    responses: { 200: ok(z.object({ domains: z.array(SenderDomainView) })) },
  }),
  async (c) => c.json({ domains: (await c.var.deps.fleetRecords.senderDomains()).map(presentDomain) }, 200),
)

const register = endpoint(
  "admin",
  createRoute({
    method: "post",
    path: "/sender-domains/register",
    operationId: "registerSenderDomain",
    tags: ["fleet"],
    summary: "Register a sender domain: checks SPF, the PTR of our source addresses and DKIM, and says what to mend",
    request: { query: z.object({ domain: z.string().openapi({ example: "mailverdict.test" }) }) },
    responses: { 200: ok(SenderDomainView), ...problem(400) },
  }),
  async (c) => {
    const domain = wellFormedDomain(c.req.valid("query").domain)
    return c.json(presentDomain(await registerSenderDomain(c.var.deps, domain)), 200)
  },
)

const greylist = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/greylist",
    operationId: "greylist",
    tags: ["fleet"],
    summary: "Addresses whose servers asked us to come back, and the operators that do so",
    responses: {
      200: ok(
        z
          .object({
            waiting: z.int().openapi({ description: "Addresses that will be asked again" }),
            due: z.int().openapi({ description: "Of them, those whose time has come" }),
            next_at: z.iso.datetime().nullable(),
            operators: z.array(z.object({ operator: z.string(), deferred_24h: z.int(), share: z.number() })),
          })
          .openapi("Greylist"),
      ),
    },
  }),
  async (c) => {
    const { waiting, due, nextDueAt, operators } = await findGreylisting(c.var.deps)
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

const email = () => z.string().max(320).openapi({ example: "canary@example.org" })
const Canary = z
  .object({ operator: z.string(), existing: z.string(), missing: z.string(), created_at: z.iso.datetime() })
  .openapi("Canary")

const canaries = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/fleet/canaries",
    operationId: "listCanaries",
    tags: ["fleet"],
    summary: "Control addresses, by mail operator",
    responses: { 200: ok(z.object({ canaries: z.array(Canary) })) },
  }),
  async (c) => {
    const found = await c.var.deps.fleetRecords.canaries()
    return c.json({ canaries: found.map(({ createdAt, ...rest }) => ({ ...rest, created_at: iso(createdAt) })) }, 200)
  },
)

const setCanary = endpoint(
  "admin",
  createRoute({
    method: "post",
    path: "/fleet/canaries",
    operationId: "setCanary",
    tags: ["fleet"],
    summary:
      "Two addresses of your own at a mail operator, one real and one not; asked about each hour from each source address",
    request: {
      body: json(
        z.object({
          operator: z.string().min(1).max(64).openapi({ example: "google" }),
          existing: email(),
          missing: email(),
        }),
      ),
    },
    responses: { 200: ok(Canary), ...problem(400) },
  }),
  async (c) => {
    const { operator, existing, missing } = c.req.valid("json")
    const [real, unreal] = [existing, missing].map((text) => parseAddress(text))
    if (!real?.ok || !unreal?.ok || real.domain !== unreal.domain)
      throw new AppError("bad_request", "existing and missing must be addresses of one domain")
    const canary = {
      operator,
      existing: real.normalized,
      missing: unreal.normalized,
      createdAt: c.var.deps.clock.now(),
    }
    await c.var.deps.fleetRecords.saveCanary(canary)
    const { createdAt, ...rest } = canary
    return c.json({ ...rest, created_at: iso(createdAt) }, 200)
  },
)

const removeCanary = endpoint(
  "admin",
  createRoute({
    method: "delete",
    path: "/fleet/canaries/{operator}",
    operationId: "removeCanary",
    tags: ["fleet"],
    summary: "Ask about an operator's control addresses no more; source addresses they took out come back",
    request: { params: z.object({ operator: z.string().max(64) }) },
    responses: { 200: ok(z.object({ operator: z.string(), status: z.literal("removed") })), ...problem(404) },
  }),
  async (c) => {
    const { operator } = c.req.valid("param")
    if (!(await c.var.deps.fleetRecords.removeCanary(operator)))
      throw new AppError("not_found", "this operator has no control addresses")
    await c.var.deps.fleet.refresh()
    return c.json({ operator, status: "removed" as const }, 200)
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

export const senderEndpoints: Endpoint[] = [list, register, greylist, canaries, setCanary, removeCanary]
