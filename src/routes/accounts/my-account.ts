import { createRoute, z } from "@hono/zod-openapi"
import type { ExportedRows } from "../../adapters/store/compliance/erasure.ts"
import { iso } from "../../domain/time.ts"
import { bearerOf } from "../../http/access.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { flag } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok, problem } from "../../http/responses.ts"
import { clearSessionCookie, readSessionCookie } from "../../http/session-cookie.ts"
import { hasBegun, jsonWithData, textStream } from "../../http/streams.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { deleteOwnAccount, PROOF_MINUTES } from "../../services/accounts/delete-account.ts"
import { emailOf } from "../../services/accounts/identify.ts"

const exporting = endpoint(
  "session",
  createRoute({
    method: "get",
    path: "/me/export",
    operationId: "exportAccount",
    tags: ["account"],
    summary: "Export the account",
    description:
      "Returns everything stored about the account as JSON, by table and without secrets. At most 10 exports an hour. Needs a session: an API key is 403.",
    responses: {
      200: ok(
        z
          .object({
            account_id: z.string().openapi({ example: "acc_0123456789abcdef01234567" }),
            email: z.string().openapi({ example: "owner@example.org" }),
            exported_at: z.iso.datetime(),
            data: z
              .record(z.string(), z.array(z.record(z.string(), z.unknown())))
              .openapi({ example: { api_keys: [{ key_id: "kid_0123456789abcdef01234567" }] } }),
          })
          .openapi("AccountExport"),
      ),
    },
  }),
  async (c) => {
    const { ctx } = c.var
    const caller = member(c)
    await countFreeWork(ctx, "accountExports", caller.accountId)
    const tables = await hasBegun(named(ctx.store.erasure.collectAccount(caller.accountId)))
    c.set("auditNote", { subject: caller.accountId })
    const head = { account_id: caller.accountId, email: emailOf(caller), exported_at: iso(ctx.clock.now()) }
    return c.body(textStream(jsonWithData(head, tables)), 200, { "content-type": "application/json" }) as never
  },
)

async function* named(pages: AsyncIterable<ExportedRows>) {
  for await (const { table, rows } of pages) yield { name: table, rows }
}

const remove = endpoint(
  "session",
  createRoute({
    method: "delete",
    path: "/me",
    operationId: "deleteAccount",
    tags: ["account"],
    summary: "Delete the account",
    description: `Deletes the account with all its data, irreversibly. Its keys and sessions stop working at once. \`confirm\` must be the account's mailbox. Export it first with /me/export. Needs a session that began at most ${PROOF_MINUTES} minutes ago, which proves the mailbox: an API key or an older session is 403. 409 while a subscription runs: cancel it first.`,
    request: {
      query: z.object({
        confirm: z.string().max(320).openapi({
          description: "The account's mailbox, typed by its owner",
          example: "owner@example.org",
        }),
      }),
    },
    responses: {
      200: ok(
        z.object({
          status: z.literal("deleted"),
          account_id: z.string(),
          complete: z.boolean().openapi({ description: "False when the rest is erased in the next minutes" }),
        }),
      ),
      ...problem(400, 403, 409),
    },
  }),
  async (c) => {
    const caller = member(c)
    const { accountId: account_id } = caller
    const complete = await deleteOwnAccount(c.var.ctx, { caller, confirm: c.req.valid("query").confirm })
    c.set("auditNote", { subject: account_id, details: { complete } })
    clearSessionCookie(c)
    return c.json({ status: "deleted" as const, account_id, complete }, 200)
  },
)

const endSessions = endpoint(
  "session",
  createRoute({
    method: "delete",
    path: "/me/sessions",
    operationId: "endSessions",
    tags: ["account"],
    summary: "End all sessions",
    description:
      "Ends every session of the account at once, in browsers and programs. `keep_current` leaves the session of this call. API keys keep working. Needs a session: an API key is 403.",
    request: { query: z.object({ keep_current: flag(false, "Leave the session of this call") }) },
    responses: {
      200: ok(
        z.object({
          status: z.literal("ended"),
          ended: z.int().openapi({ description: "Sessions that ended", example: 3 }),
        }),
      ),
    },
  }),
  async (c) => {
    const { accountId } = member(c)
    const { keep_current: keepsCurrent } = c.req.valid("query")
    const current = bearerOf(c) ?? readSessionCookie(c).token ?? null
    const ended = await c.var.ctx.store.sessions.endAll(accountId, keepsCurrent ? current : null)
    c.set("auditNote", { subject: accountId, details: { ended } })
    if (!keepsCurrent) clearSessionCookie(c)
    return c.json({ status: "ended" as const, ended }, 200)
  },
)

export const myAccountEndpoints: Endpoint[] = [exporting, remove, endSessions]
