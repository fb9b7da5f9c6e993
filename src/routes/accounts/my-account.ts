import { z } from "@hono/zod-openapi"
import { AUDIT_ACTIONS } from "../../../schema/vocabulary.ts"
import type { AlertSettings } from "../../adapters/store/accounts/usage-alerts.ts"
import type { ExportedRows } from "../../adapters/store/compliance/erasure.ts"
import { ALERT_PERCENTS } from "../../domain/accounts/usage.ts"
import type { AuditRow } from "../../domain/compliance/audit-chain.ts"
import { pageOf } from "../../domain/page.ts"
import { iso } from "../../domain/time.ts"
import { bearerOf } from "../../http/access.ts"
import { clearSessionCookie, readSessionCookie } from "../../http/cookies.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { component, flag, numberCursor, wholeNumberOr } from "../../http/fields.ts"
import { webhookUrl } from "../../http/input-fields.ts"
import { hasBegun, jsonWithData, textStream } from "../../http/streams.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { emailOf } from "../../services/accounts/identify.ts"
import { deleteOwnAccount, PROOF_MINUTES } from "../../services/compliance/erase-account.ts"
import { readWebhookUrl } from "../../services/webhooks/publish-event.ts"

const endpoint = endpointsOf("account")

const exporting = endpoint("session", "GET /me/export", {
  operationId: "exportAccount",
  summary: "Export the account",
  description:
    "Returns everything stored about the account as JSON, by table and without secrets. At most 10 exports an hour. Needs a session: an API key is 403.",
  answer: component("AccountExport", {
    account_id: z.string().openapi({ example: "acc_0123456789abcdef01234567" }),
    email: z.string().openapi({ example: "owner@example.org" }),
    exported_at: z.iso.datetime(),
    data: z
      .record(z.string(), z.array(z.record(z.string(), z.unknown())))
      .openapi({ example: { api_keys: [{ key_id: "kid_0123456789abcdef01234567" }] } }),
  }),
  async handle(c) {
    const { ctx } = c.var
    const caller = member(c)
    await countFreeWork(ctx, "accountExports", caller.accountId)
    const tables = await hasBegun(named(ctx.store.erasure.collectAccount(caller.accountId)))
    c.set("auditNote", { subject: caller.accountId })
    const head = { account_id: caller.accountId, email: emailOf(caller), exported_at: iso(ctx.clock.now()) }
    return c.body(textStream(jsonWithData(head, tables)), 200, { "content-type": "application/json" })
  },
})

async function* named(pages: AsyncIterable<ExportedRows>) {
  for await (const { table, rows } of pages) yield { name: table, rows }
}

const remove = endpoint("session", "DELETE /me", {
  operationId: "deleteAccount",
  summary: "Delete the account",
  description: `Deletes the account with all its data, irreversibly. Its keys and sessions stop working at once. \`confirm\` must be the account's mailbox. Export it first with /me/export. Needs a session that began at most ${PROOF_MINUTES} minutes ago, which proves the mailbox: an API key or an older session is 403. 409 while a subscription runs: cancel it first.`,
  query: z.object({
    confirm: z.string().max(320).openapi({
      description: "The account's mailbox, typed by its owner",
      example: "owner@example.org",
    }),
  }),
  answer: z.object({
    status: z.literal("deleted"),
    account_id: z.string(),
    complete: z.boolean().openapi({ description: "False when the rest is erased in the next minutes" }),
  }),
  problems: [400, 403, 409],
  async handle(c) {
    const caller = member(c)
    const { accountId: account_id } = caller
    const complete = await deleteOwnAccount(c.var.ctx, { caller, confirm: c.req.valid("query").confirm })
    c.set("auditNote", { subject: account_id, details: { complete } })
    clearSessionCookie(c)
    return { status: "deleted" as const, account_id, complete }
  },
})

const endSessions = endpoint("session", "DELETE /me/sessions", {
  operationId: "endSessions",
  summary: "End all sessions",
  description:
    "Ends every session of the account at once, in browsers and programs. `keep_current` leaves the session of this call. API keys keep working. Needs a session: an API key is 403.",
  query: z.object({ keep_current: flag(false, "Leave the session of this call") }),
  answer: z.object({
    status: z.literal("ended"),
    ended: z.int().openapi({ description: "Sessions that ended", example: 3 }),
  }),
  async handle(c) {
    const { accountId } = member(c)
    const { keep_current: keepsCurrent } = c.req.valid("query")
    const current = bearerOf(c) ?? readSessionCookie(c).token ?? null
    const ended = await c.var.ctx.store.sessions.endAll(accountId, keepsCurrent ? current : null)
    c.set("auditNote", { subject: accountId, details: { ended } })
    if (!keepsCurrent) clearSessionCookie(c)
    return { status: "ended" as const, ended }
  },
})

export const myAccountEndpoints: Endpoint[] = [exporting, remove, endSessions]

const OwnEvent = component("OwnEvent", {
  at: z.iso.datetime(),
  action: z.enum(AUDIT_ACTIONS),
  by: z.enum(["account", "operator", "service", "other"]).openapi({
    description:
      "`account`: a key or session of this account. `service`: payments or a scheduled task. `other`: a caller who was not this account yet, such as the creator of a key that joined it",
  }),
  subject: z.string().nullable().openapi({
    description: "The id of the key, node or account concerned; null when it is a person's address, stored as a hash",
  }),
})

/** Ids of ours. Other subjects are names of nodes, or hashes of people's addresses. */
const ID_FORM = /^(?:kid|acc|job|int|rcv)_[0-9A-Za-z]{1,64}$/

const trail = endpoint("key", "GET /me/audit-trail", {
  operationId: "ownAuditTrail",
  summary: "List the account's events",
  description:
    "Returns what was done with the account, newest first: sign-ins, keys, plans, exports and erasures. `by` says whether the account, the operator or the service did it.",
  query: z.object({
    limit: wholeNumberOr(50, { min: 1, max: 200, description: "Events per page" }),
    cursor: numberCursor(),
    action: z.enum(AUDIT_ACTIONS).optional().openapi({ description: "Only entries of this action" }),
  }),
  answer: component("OwnAuditTrail", { events: z.array(OwnEvent), next_cursor: z.int().nullable() }),
  async handle(c) {
    const { limit, cursor, action } = c.req.valid("query")
    const { accountId } = member(c)
    const rows = await c.var.ctx.store.audit.pageOfAccount(accountId, { action, before: cursor, limit: limit + 1 })
    const { page, last } = pageOf(rows, limit)
    return { events: page.map((row) => presentEvent(row, accountId)), next_cursor: last?.seq ?? null }
  },
})

function presentEvent({ at, action, actor, subject }: AuditRow, accountId: string): z.infer<typeof OwnEvent> {
  const isShown = action.startsWith("node.") || ID_FORM.test(subject)
  return { at: iso(at), action, by: byOf(actor, accountId), subject: isShown ? subject : null }
}

function byOf(actor: string, accountId: string): z.infer<typeof OwnEvent>["by"] {
  if (actor === accountId) return "account"
  if (actor === "admin") return "operator"
  return actor === "payments" || actor === "schedule" ? "service" : "other"
}

export const auditTrailEndpoints: Endpoint[] = [trail]

const Alerts = component("UsageAlerts", {
  mail: z.boolean().openapi({ description: "To the account's confirmed mailbox; on by default" }),
  webhook_url: z.string().nullable().openapi({
    description: "Receives `usage.threshold`; null for none",
    example: "https://hooks.example.org/usage",
  }),
  percents: z.array(z.int()).openapi({ description: "Each sends one alert a month", example: [...ALERT_PERCENTS] }),
})

const presentAlerts = ({ mail, webhookUrl }: AlertSettings): z.infer<typeof Alerts> => ({
  mail,
  webhook_url: webhookUrl,
  percents: [...ALERT_PERCENTS],
})

const readAlerts = endpoint("key", "GET /me/alerts", {
  operationId: "usageAlerts",
  summary: "Get the usage alerts",
  description: "Returns where the account is notified when 80 and 100 % of the month's credits are used.",
  answer: Alerts,
  handle: async (c) => presentAlerts(await c.var.ctx.store.usageAlerts.settings(member(c).accountId)),
})

const changeAlerts = endpoint("key", "PUT /me/alerts", {
  operationId: "setUsageAlerts",
  summary: "Change the usage alerts",
  description:
    "Turns the mail on or off, and sets or removes a webhook URL for `usage.threshold`. Each threshold is reported once a month.",
  json: z.object({
    mail: z.boolean().openapi({ description: "Whether the owner gets a mail", example: true }),
    webhook_url: webhookUrl().nullish().openapi({
      description: "Public https URL that gets `usage.threshold`. Null or empty removes it",
    }),
  }),
  answer: Alerts,
  async handle(c) {
    const { mail, webhook_url } = c.req.valid("json")
    const settings = { mail, webhookUrl: (await readWebhookUrl(c.var.ctx, webhook_url ?? "")) || null }
    await c.var.ctx.store.usageAlerts.setSettings(member(c).accountId, settings)
    return presentAlerts(settings)
  },
})

export const alertEndpoints: Endpoint[] = [readAlerts, changeAlerts]
