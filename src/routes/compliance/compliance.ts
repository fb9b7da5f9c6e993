import { z } from "@hono/zod-openapi"
import { RETENTION_DAYS } from "../../../schema/tables/retention.ts"
import { AUDIT_ACTIONS } from "../../../schema/vocabulary.ts"
import type { AuditRow } from "../../domain/compliance/audit-chain.ts"
import { pageOf } from "../../domain/page.ts"
import { DAY_MS, iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component, flag, numberCursor, wholeNumberOr } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { findAccount } from "../../services/admin/accounts.ts"
import { eraseCustomer } from "../../services/compliance/erase-account.ts"
import { removedByTable } from "../../services/compliance/erase-data.ts"
import { MAX_CHECKED, type TrailCheck, verifyTrail } from "../../services/compliance/verify-trail.ts"
import { ErasedTables, gdprEndpoints, presentErased } from "./gdpr.ts"

const endpoint = endpointsOf("compliance")

const HASH = { example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }

const AuditEntry = component("AuditEntry", {
  seq: z.int().openapi({ description: "From 1, without gaps" }),
  at: z.iso.datetime(),
  actor: z.string().openapi({
    description: "admin, schedule, payments, an account id, a node that enrolls, or a keyed hash of a network",
    example: "admin",
  }),
  action: z.enum(AUDIT_ACTIONS),
  subject: z.string().openapi({ description: "An id or a keyed hash; never an address" }),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  prev_hash: z.string().openapi(HASH),
  hash: z.string().openapi({
    ...HASH,
    description:
      "SHA-256 of prev_hash and the entry as canonical JSON {action, actor, at, details, seq, subject}, at in Unix ms",
  }),
})

const presentEntry = ({ prevHash, at, ...row }: AuditRow): z.infer<typeof AuditEntry> => ({
  ...row,
  at: iso(at),
  details: { ...row.details },
  prev_hash: prevHash,
})

const Verified = z.object({
  verified: z.boolean().openapi({ description: "True when every checked entry is unchanged" }),
  broken_at: z.int().nullable().openapi({ description: "The first changed entry" }),
  checked: z.int().openapi({
    description: `Entries checked: all, or the last ${MAX_CHECKED} before \`cursor\`; use an older cursor for earlier entries`,
  }),
  head: z
    .object({ seq: z.int(), hash: z.string() })
    .openapi({ description: "The last valid entry. Store it elsewhere to detect later whether the end was cut off" }),
})

const presentCheck = ({ verified, brokenAt, checked, head }: TrailCheck): z.infer<typeof Verified> => ({
  verified,
  broken_at: brokenAt,
  checked,
  head: { ...head },
})

const trail = endpoint("admin", "GET /compliance/audit-trail", {
  operationId: "auditTrail",
  summary: "Read the audit trail",
  description:
    "Returns the entries, newest first, and checks the chain of their hashes. `verified` false means that an entry was changed or removed: `broken_at` names it.",
  query: z.object({
    limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Entries per page" }),
    cursor: numberCursor(),
    action: z.enum(AUDIT_ACTIONS).optional().openapi({ description: "Only entries of this action" }),
    actor: z.string().max(100).optional().openapi({ description: "Only entries of this actor", example: "admin" }),
    subject: z.string().max(100).optional().openapi({ description: "Only entries about this subject" }),
    reads: flag(true, "`false` leaves out what the operator only read"),
  }),
  answer: Verified.extend({ entries: z.array(AuditEntry), next_cursor: z.int().nullable() }),
  async handle(c) {
    const { cursor, limit, ...filter } = c.req.valid("query")
    const [rows, check] = await Promise.all([
      c.var.ctx.store.audit.page({ ...filter, before: cursor, limit: limit + 1 }),
      verifyTrail(c.var.ctx, { before: cursor }),
    ])
    const { page, last } = pageOf(rows, limit)
    return { ...presentCheck(check), entries: page.map(presentEntry), next_cursor: last?.seq ?? null }
  },
})

const summary = endpoint("admin", "GET /compliance/summary", {
  operationId: "complianceSummary",
  summary: "Get the compliance summary",
  description: "Returns the state of the audit trail, the actions of 30 days and the retention policy.",
  answer: z.object({
    audit: Verified,
    last_30_days: z.record(z.string(), z.int()).openapi({ example: { "data.erased": 3, "key.created": 12 } }),
    retention_days: z.int(),
    stored: z.record(z.string(), z.int()).openapi({ example: { results: 4_000, suppressions: 12 } }),
  }),
  async handle(c) {
    const { audit, counters } = c.var.ctx.store
    const [check, counts, results, rows] = await Promise.all([
      verifyTrail(c.var.ctx),
      audit.counts(c.var.ctx.clock.now() - 30 * DAY_MS),
      counters.results(),
      counters.rows(),
    ])
    const total = results.reduce((sum, { count }) => sum + count, 0)
    return {
      audit: presentCheck(check),
      last_30_days: Object.fromEntries(counts.map(({ action, count }) => [action, count])),
      retention_days: RETENTION_DAYS,
      stored: { results: total, ...Object.fromEntries(rows) },
    }
  },
})

const customer = endpoint("admin", "DELETE /compliance/customer-data/{customer_id}", {
  operationId: "eraseCustomer",
  summary: "Erase an account",
  description:
    "Erases an account with all its data. Its keys stop working at once. What `complete: false` leaves is erased in the next minutes, or when you call again with the id. A subscription continues at the payment processor: cancel it there. Answers stored for Idempotency-Key name no account and expire within a day.",
  params: z.object({
    customer_id: z.string().max(320).openapi({
      pattern: PATTERNS.account,
      description: "The account's id, or the mailbox that its owner has proven",
      example: "acc_0123456789abcdef01234567",
    }),
  }),
  answer: z.object({
    status: z.literal("erased"),
    customer_id: z.string().openapi({ description: "The account's id" }),
    complete: z.boolean(),
    tables: ErasedTables,
  }),
  problems: [400, 404],
  async handle(c) {
    const { accountId: customer_id } = await findAccount(c.var.ctx, c.req.valid("param").customer_id)
    const { tables, isComplete } = await eraseCustomer(c.var.ctx, customer_id)
    c.set("auditNote", { subject: customer_id, details: removedByTable(tables) })
    return { status: "erased" as const, customer_id, complete: isComplete, tables: presentErased(tables) }
  },
})

export const complianceEndpoints: Endpoint[] = [trail, summary, customer]

export const COMPLIANCE_ENDPOINTS: readonly Endpoint[] = [...complianceEndpoints, ...gdprEndpoints]
