import { z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { SUPPRESSION_REASONS } from "../../../schema/vocabulary.ts"
import { OPERATOR_LIST, parseSuppressedDomain, type Suppressed } from "../../domain/suppression/suppression.ts"
import { DAY_MS } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type AppEnv, type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component, wellFormed } from "../../http/fields.ts"
import { mailbox, PATTERNS } from "../../http/input-fields.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { checkSuppression, suppress, unsuppress } from "../../services/suppression/suppression-list.ts"
import { Added, presentAdded, presentFound, presentRemoved, Removed, SuppressionEntry } from "./present-suppression.ts"

const endpoint = endpointsOf("suppression")

/** The caller's list: the account's own, or with the admin secret the operator's, which applies to all accounts. */
export function listOf(c: Context<AppEnv>): string {
  return c.var.caller.kind === "member" ? c.var.caller.accountId : OPERATOR_LIST
}

const check = endpoint("key-or-admin", "GET /suppression/check", {
  operationId: "checkSuppression",
  summary: "Check an address",
  description:
    "Says whether an address is suppressed, why and until when. `entries` has every entry that covers it, those of its domain included.",
  query: z.object({ email: mailbox() }),
  answer: SuppressionEntry,
  problems: [400],
  async handle(c) {
    const address = wellFormed(c.req.valid("query").email)
    const found = await checkSuppression(c.var.ctx, listOf(c), address)
    return presentFound(address, found)
  },
})

const Addition = z
  .object({
    email: mailbox().nullish(),
    domain: z.string().max(1_000).nullish().openapi({
      pattern: PATTERNS.suppressedDomain,
      description:
        "Instead of `email`: suppresses every address of the domain, as `example.com`, `@example.com` or `*@example.com`. A subdomain is another domain",
      example: null,
    }),
    reason: z.enum(SUPPRESSION_REASONS).openapi({ description: "Why nothing may be sent there" }),
    source: z.string().trim().max(200).nullish().openapi({ description: "Where the entry comes from", example: "crm" }),
    expires_in_days: z
      .int()
      .min(1)
      .max(3_650)
      .nullish()
      .openapi({ description: "Permanent when left out", example: 30 }),
  })
  // Also when another field is missing, so that one answer names every missing field.
  .refine(({ email, domain }) => email != null || domain != null, {
    path: ["email"],
    error: "is required",
    when: ({ value }) => typeof value === "object" && value !== null,
  })
  .refine(({ email, domain }) => email == null || domain == null, {
    path: ["domain"],
    error: "excludes email; send one",
  })

const add = endpoint("key-or-admin", "POST /suppression/add", {
  operationId: "addSuppression",
  summary: "Suppress an address or domain",
  description:
    "Sets `can_send` to false for an address, or for every address of a domain, from the next call on. Adding an entry again never shortens or weakens it. The answer has the entry that is active afterwards. To weaken an entry, remove it first.",
  json: Addition,
  answer: Added,
  problems: [400],
  async handle(c) {
    const body = c.req.valid("json")
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const one = readSuppressed(body)
    const { reason, source, expires_in_days: days = null } = body
    const end = days === null ? null : { days }
    const [change] = await suppress(c.var.ctx, listOf(c), [{ ...one, reason, source: source || null, end }])
    return presentAdded(one, change!)
  },
})

/** Reads the one of `email` and `domain` that is given. @throws AppError bad_request when it is malformed */
function readSuppressed({ email, domain }: Pick<z.output<typeof Addition>, "email" | "domain">): Suppressed {
  if (domain == null) return { address: wellFormed(email ?? "") }
  const parsed = parseSuppressedDomain(domain)
  if (!parsed.ok) throw new AppError("bad_request", `domain: ${parsed.message}`)
  return { wholeDomain: parsed.domain }
}

const remove = endpoint("key-or-admin", "DELETE /suppression/{email}", {
  operationId: "removeSuppression",
  summary: "Remove an address",
  description:
    "Removes the entry of an address. `still_suppressed` says whether another entry covers it. Also takes back the hard bounces and complaints that the account reported.",
  params: z.object({
    email: z.string().max(1_000).openapi({
      pattern: PATTERNS.mailbox,
      description: "The address, with %40 for @",
      example: "alice@mailbox.test",
    }),
  }),
  answer: Removed,
  problems: [400, 404],
  async handle(c) {
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const address = wellFormed(c.req.valid("param").email)
    const done = await unsuppress(c.var.ctx, listOf(c), { address })
    return presentRemoved({ address }, done)
  },
})

const removeDomain = endpoint("key-or-admin", "DELETE /suppression/domains/{domain}", {
  operationId: "removeSuppressedDomain",
  summary: "Remove a domain",
  description: "Removes the entry of a whole domain. Entries of single addresses at the domain stay.",
  params: z.object({
    domain: z.string().max(1_000).openapi({
      pattern: PATTERNS.suppressedDomain,
      description: "The domain, as `example.com`, `@example.com` or `*@example.com`",
      example: "mailbox.test",
    }),
  }),
  answer: Removed,
  problems: [400, 404],
  async handle(c) {
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const one = readSuppressed({ domain: c.req.valid("param").domain })
    return presentRemoved(one, await unsuppress(c.var.ctx, listOf(c), one))
  },
})

const count = z.int().min(0)
const SuppressionStats = component("SuppressionStats", {
  list: z.enum(["account", "operator"]),
  total: count,
  permanent: count,
  temporary: count,
  added_last_30_days: count,
  by_reason: z.object(Object.fromEntries(SUPPRESSION_REASONS.map((reason) => [reason, count]))).openapi({
    example: Object.fromEntries(SUPPRESSION_REASONS.map((reason) => [reason, 3])),
  }),
})

const stats = endpoint("key-or-admin", "GET /suppression/stats", {
  operationId: "suppressionStats",
  summary: "Count the entries",
  description: "Counts the entries by reason, by duration, and those added in the last 30 days.",
  answer: SuppressionStats,
  async handle(c) {
    const list = listOf(c)
    const now = c.var.ctx.clock.now()
    const counts = await c.var.ctx.store.suppressions.counts(list, now, now - 30 * DAY_MS)
    const sum = (pick: (one: (typeof counts)[number]) => number) => counts.reduce((total, one) => total + pick(one), 0)
    const total = sum((one) => one.total)
    const temporary = sum((one) => one.temporary)
    const byReason = SUPPRESSION_REASONS.map((name) => [name, counts.find(({ reason }) => reason === name)?.total ?? 0])
    return {
      list: list === OPERATOR_LIST ? "operator" : "account",
      total,
      permanent: total - temporary,
      temporary,
      added_last_30_days: sum((one) => one.recent),
      by_reason: Object.fromEntries(byReason),
    } satisfies z.infer<typeof SuppressionStats>
  },
})

export const suppressionEndpoints: Endpoint[] = [check, add, remove, removeDomain, stats]
