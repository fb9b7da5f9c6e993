import { z } from "@hono/zod-openapi"
import { STATUSES, SUB_STATUSES } from "../../../schema/vocabulary.ts"
import type { FoundResult } from "../../adapters/store/admin/operator.ts"
import { accountOf } from "../../domain/accounts/caller.ts"
import { sumActivity } from "../../domain/accounts/usage.ts"
import { pageOf } from "../../domain/page.ts"
import { DAY_MS, dayOf, iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, wellFormed, wellFormedDomain, wholeNumberOr } from "../../http/fields.ts"
import { domainName, mailbox, PATTERNS } from "../../http/input-fields.ts"
import { findStored } from "../../services/compliance/export-data.ts"
import { ByStatus, presentResults } from "./statistics.ts"

const endpoint = endpointsOf("statistics")

const StoredRecord = component("StoredRecord", {
  email: z.string().openapi({ example: "alice@mailbox.test" }),
  domain: z.string().openapi({ example: "mailbox.test" }),
  status: z.enum(STATUSES),
  sub_status: z.enum(SUB_STATUSES).nullable(),
  score: z.int().min(0).max(100),
  verified_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  is_fresh: z.boolean().openapi({ description: "True while it is served without a new verification" }),
})

function presentRecord(found: FoundResult, now: number): z.infer<typeof StoredRecord> {
  return {
    email: found.address,
    domain: found.domain,
    status: found.status,
    sub_status: found.subStatus,
    score: found.score,
    verified_at: iso(found.verifiedAt),
    expires_at: iso(found.expiresAt),
    is_fresh: found.expiresAt > now,
  }
}

const lookup = endpoint("key-or-admin", "GET /db/lookup", {
  operationId: "lookUpRecord",
  summary: "Look a stored result up",
  description:
    "Returns the stored result of an address that your account verified. The admin secret reads any address. Nothing is verified or charged.",
  query: z.object({ email: mailbox() }),
  answer: StoredRecord,
  problems: [400, 404],
  async handle(c) {
    const { caller, ctx } = c.var
    const address = wellFormed(c.req.valid("query").email)
    const accountId = accountOf(caller)
    const found = await findStored(ctx, { address, accountId })
    if (!found) throw new AppError("not_found", "no stored result for this address")
    return presentRecord(found, ctx.clock.now())
  },
})

const search = endpoint("admin", "GET /db/search", {
  operationId: "searchRecords",
  summary: "Search stored results",
  description:
    "Returns stored results in the order of their addresses, by domain and status. A cursor is equally fast on every page. An offset gets slower as it grows.",
  query: z.object({
    domain: z.string().max(255).default("").openapi({
      pattern: PATTERNS.optionalDomain,
      description: "Only addresses of this domain; empty for all",
      example: "mailbox.test",
    }),
    status: z
      .enum(["", ...STATUSES])
      .default("")
      .openapi({ description: "Only results of this status; empty for all" }),
    limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Results per page" }),
    offset: wholeNumberOr(0, { min: 0, max: 10_000_000, description: "Results to skip" }),
    cursor: z.string().max(600).default("").openapi({ description: "next_cursor of the previous page" }),
  }),
  answer: z.object({
    results: z.array(StoredRecord),
    total: z.int().openapi({ description: "Results on all pages" }),
    limit: z.int(),
    offset: z.int(),
    next_cursor: z.string().nullable().openapi({ description: "Null on the last page" }),
  }),
  problems: [400],
  async handle(c) {
    const { operator, counters } = c.var.ctx.store
    const { limit, offset, ...given } = c.req.valid("query")
    const domain = given.domain === "" ? undefined : wellFormedDomain(given.domain)
    const status = given.status === "" ? undefined : given.status
    const after = given.cursor === "" ? undefined : readCursor(given.cursor)
    const [found, counts] = await Promise.all([
      operator.search({ domain, status, after, limit: limit + 1, offset }),
      counters.results(domain),
    ])
    const { page, last } = pageOf(found, limit)
    const total = presentResults(counts.filter((one) => status === undefined || one.status === status)).total
    const results = page.map((one) => presentRecord(one, c.var.ctx.clock.now()))
    return { results, total, limit, offset, next_cursor: last && writeCursor(last.address) }
  },
})

/** Encodes an address as base64url, so that URLs do not show it. */
function writeCursor(address: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(address))
  return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replaceAll("=", "")
}

function readCursor(cursor: string): string {
  try {
    const bytes = Uint8Array.from(atob(cursor.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new AppError("bad_request", "cursor: must be a next_cursor of this endpoint")
  }
}

const domain = endpoint("admin", "GET /db/domain/{domain}", {
  operationId: "domainRecords",
  summary: "Get a domain's stored data",
  description: "Counts the stored results of a domain by status, and returns its facts with their age.",
  params: z.object({ domain: domainName().max(255) }),
  answer: z.object({
    domain: z.string(),
    total: z.int(),
    by_status: ByStatus,
    facts: z
      .record(z.string(), z.object({ value: z.unknown(), checked_at: z.iso.datetime(), is_fresh: z.boolean() }))
      .openapi({ description: "Facts by name, each with its own age" }),
  }),
  problems: [400],
  async handle(c) {
    const { counters, resultLists } = c.var.ctx.store
    const name = wellFormedDomain(c.req.valid("param").domain)
    const [results, known] = await Promise.all([counters.results(name), resultLists.factsOf([name])])
    const facts = Object.entries(known.get(name) ?? {}).map(([fact, { value, checkedAt, expiresAt }]) => [
      fact,
      { value, checked_at: iso(checkedAt), is_fresh: expiresAt > c.var.ctx.clock.now() },
    ])
    return { domain: name, ...presentResults(results), facts: Object.fromEntries(facts) }
  },
})

const stats = endpoint("admin", "GET /db/stats", {
  operationId: "databaseStats",
  summary: "Get the size of the database",
  description: "Counts stored results by status, rows by table and the verifications of the last 30 days.",
  answer: z.object({
    total: z.int(),
    by_status: ByStatus,
    top_domains: arrayOf({ domain: z.string(), count: z.int() }),
    verified_last_30_days: z.int(),
    rows: z.record(z.string(), z.int()),
  }),
  async handle(c) {
    const { counters } = c.var.ctx.store
    const now = c.var.ctx.clock.now()
    const [results, rows, top_domains, lately] = await Promise.all([
      counters.results(),
      counters.rows(),
      counters.topDomains(10),
      counters.since(dayOf(now - 29 * DAY_MS), now),
    ])
    const verified_last_30_days = sumActivity(lately, ["verified"]).total
    return { ...presentResults(results), top_domains, verified_last_30_days, rows: Object.fromEntries(rows) }
  },
})

export const databaseEndpoints: Endpoint[] = [lookup, search, domain, stats]
