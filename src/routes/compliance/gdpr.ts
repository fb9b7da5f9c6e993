import { z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { RETENTION, RETENTION_DAYS } from "../../../schema/tables/retention.ts"
import type { ExportedRows } from "../../adapters/store/compliance/erasure.ts"
import { accountOf } from "../../domain/accounts/caller.ts"
import { addressHash } from "../../domain/address/address-forms.ts"
import type { ErasedRows } from "../../domain/compliance/data-subject.ts"
import { iso } from "../../domain/time.ts"
import { type AppEnv, type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, wellFormed, wellFormedDomain } from "../../http/fields.ts"
import { domainName, mailbox } from "../../http/input-fields.ts"
import { jsonWithData, textStream } from "../../http/streams.ts"
import { type Erased, eraseAddress, eraseDomain, purge, removedByTable } from "../../services/compliance/erase-data.ts"
import { exportData } from "../../services/compliance/export-data.ts"

const endpoint = endpointsOf("compliance")

const scope = z.enum(["account", "service"]).openapi({
  description: "The data of your account, or with the admin secret of all accounts",
})

export const ErasedTables = arrayOf({
  table: z.string().openapi({ example: "verifications" }),
  removed: z.int().openapi({ example: 3 }),
  blanked: z.int().openapi({ description: "Rows that stay without personal data", example: 1 }),
})

export const presentErased = (tables: readonly ErasedRows[]): z.infer<typeof ErasedTables> =>
  tables.map(({ table, removed, blanked }) => ({ table, removed, blanked }))

const Erasure = component("Erasure", {
  status: z.literal("erased"),
  scope,
  complete: z.boolean().openapi({ description: "False when one call could not erase everything; call again" }),
  tables: ErasedTables,
  kept: z.string().openapi({
    example:
      "hard bounces and complaints keep a keyed hash, so that the address stays suppressed; the suppression of a whole domain stays",
  }),
})

const KEPT =
  "hard bounces and complaints keep a keyed hash, so that the address stays suppressed; the suppression of a whole domain stays"
const KEPT_OF_ACCOUNT = `${KEPT}; a keyed hash of the erased data hides stored results from your account; answers stored for Idempotency-Key name no account, are not returned again and expire within a day`

function presentErasure(accountId: string | null, { tables, isComplete }: Erased): z.infer<typeof Erasure> {
  const [scope, kept] = accountId === null ? (["service", KEPT] as const) : (["account", KEPT_OF_ACCOUNT] as const)
  return { status: "erased", scope, complete: isComplete, tables: presentErased(tables), kept }
}

async function answerErase(c: Context<AppEnv>, given: string): Promise<z.infer<typeof Erasure>> {
  const address = wellFormed(given)
  await c.var.meter.authorize()
  const accountId = accountOf(c.var.caller)
  const erased = await eraseAddress(c.var.ctx, { address, accountId })
  const subject = await addressHash(c.var.ctx.digests, address)
  c.set("auditNote", { subject, details: removedByTable(erased.tables) })
  return presentErasure(accountId, erased)
}

async function answerEraseDomain(c: Context<AppEnv>, given: string): Promise<z.infer<typeof Erasure>> {
  const domain = wellFormedDomain(given)
  await c.var.meter.authorize()
  const accountId = accountOf(c.var.caller)
  const erased = await eraseDomain(c.var.ctx, { domain, accountId })
  const subject = await c.var.ctx.digests.of("audit-domain", domain)
  c.set("auditNote", { subject, details: removedByTable(erased.tables) })
  return presentErasure(accountId, erased)
}

const erasing = {
  description:
    "Erases everything stored about an address, in every table and at the edge. Hard bounces and complaints keep only a keyed hash. With a key it erases your account's data. The shared result is erased if no other account verified the address. Your account sees no stored result until it verifies the address again. Call again until `complete` is true.",
  answer: Erasure,
  problems: [400],
} as const

const erase = endpoint("key-or-admin", "POST /gdpr/erase", {
  ...erasing,
  operationId: "erase",
  summary: "Erase an address",
  json: z.object({ email: mailbox() }),
  handle: (c) => answerErase(c, c.req.valid("json").email),
})

const eraseByQuery = endpoint("key-or-admin", "DELETE /gdpr/erase", {
  ...erasing,
  operationId: "eraseByQuery",
  summary: "Erase an address, by query",
  query: z.object({ email: mailbox() }),
  handle: (c) => answerErase(c, c.req.valid("query").email),
})

const erasingDomain = {
  description:
    "Erases everything stored about a domain and all its addresses. Call again until `complete` is true. With a key it erases your account's data. Shared results are erased if no other account verified the address. Your account sees no result stored before.",
  answer: Erasure,
  problems: [400],
} as const

const domain = endpoint("key-or-admin", "POST /gdpr/domain", {
  ...erasingDomain,
  operationId: "eraseDomain",
  summary: "Erase a domain",
  json: z.object({ domain: domainName().max(255) }),
  handle: (c) => answerEraseDomain(c, c.req.valid("json").domain),
})

const domainByQuery = endpoint("key-or-admin", "DELETE /gdpr/domain", {
  ...erasingDomain,
  operationId: "eraseDomainByQuery",
  summary: "Erase a domain, by query",
  query: z.object({ domain: domainName().max(255) }),
  handle: (c) => answerEraseDomain(c, c.req.valid("query").domain),
})

const Rows = z.array(z.record(z.string(), z.unknown()))

const exporting = endpoint("key-or-admin", "GET /gdpr/export", {
  operationId: "exportData",
  summary: "Export an address",
  description:
    "Returns everything stored about an address as JSON. Rows by table: of your account, or with the admin secret of all accounts.",
  query: z.object({ email: mailbox() }),
  answer: component("DataExport", {
    email: z.string(),
    scope,
    exported_at: z.iso.datetime(),
    data: z.record(z.string(), Rows).openapi({ example: { suppressions: [{ reason: "hard_bounce" }] } }),
    edge_cache: z.unknown().openapi({ description: "The result in the edge cache; null without one" }),
  }),
  problems: [400],
  async handle(c) {
    const { ctx } = c.var
    const address = wellFormed(c.req.valid("query").email)
    await c.var.meter.authorize()
    const accountId = accountOf(c.var.caller)
    const { tables, edge } = await exportData(ctx, { address, accountId })
    c.set("auditNote", { subject: await addressHash(ctx.digests, address) })
    const head = {
      email: address.normalized,
      scope: accountId === null ? "service" : "account",
      exported_at: iso(ctx.clock.now()),
      edge_cache: edge,
    }
    return c.body(textStream(jsonWithData(head, named(tables))), 200, { "content-type": "application/json" })
  },
})

async function* named(pages: AsyncIterable<ExportedRows>) {
  for await (const { table, rows } of pages) yield { name: table, rows }
}

const purging = endpoint("admin", "POST /gdpr/purge", {
  operationId: "purge",
  summary: "Purge expired data",
  description: "Deletes data past the retention policy. A schedule does so every night, so a call is rarely needed.",
  answer: z.object({ status: z.literal("purged"), tables: ErasedTables }),
  async handle(c) {
    const purged = await purge(c.var.ctx)
    c.set("auditNote", { details: removedByTable(purged) })
    return { status: "purged" as const, tables: presentErased(purged) }
  },
})

const status = endpoint("key-or-admin", "GET /gdpr/status", {
  operationId: "retentionStatus",
  summary: "Get the retention policy",
  description: "Returns how long each kind of data is stored, and when the last purge ran.",
  answer: z.object({
    retention_days: z.int().openapi({ example: 90 }),
    policy: arrayOf({ table: z.string(), days: z.int() }).openapi({
      description: "Each table once, with the longest retention of its rows",
    }),
    last_purge: z.iso.datetime().nullable(),
    last_purge_rows: z.int().nullable(),
  }),
  async handle(c) {
    const [last] = await c.var.ctx.store.audit.page({ action: "data.purged", limit: 1 })
    const policy = new Map<string, number>()
    for (const { table, days } of RETENTION) policy.set(table, Math.max(days, policy.get(table) ?? 0))
    const rows = Object.entries(last?.details ?? {}).filter(([table]) => policy.has(table))
    return {
      retention_days: RETENTION_DAYS,
      policy: [...policy].map(([table, days]) => ({ table, days })),
      last_purge: iso(last?.at),
      last_purge_rows: last ? rows.reduce((total, [, count]) => total + Number(count), 0) : null,
    }
  },
})

export const gdprEndpoints: Endpoint[] = [erase, eraseByQuery, domain, domainByQuery, exporting, purging, status]
