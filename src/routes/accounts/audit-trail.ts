import { createRoute, z } from "@hono/zod-openapi"
import { AUDIT_ACTIONS } from "../../../schema/vocabulary.ts"
import type { AuditRow } from "../../domain/compliance/audit-chain.ts"
import { pageOf } from "../../domain/page.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumber, wholeNumberOr } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok } from "../../http/responses.ts"

const OwnEvent = z
  .object({
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
  .openapi("OwnEvent")

/** Ids of ours. Other subjects are names of nodes, or hashes of people's addresses. */
const ID_FORM = /^(?:kid|acc|job|int|rcv)_[0-9A-Za-z]{1,64}$/

const trail = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/me/audit-trail",
    operationId: "ownAuditTrail",
    tags: ["account"],
    summary: "List the account's events",
    description:
      "Returns what was done with the account, newest first: sign-ins, keys, plans, exports and erasures. `by` says whether the account, the operator or the service did it.",
    request: {
      query: z.object({
        limit: wholeNumberOr(50, { min: 1, max: 200, description: "Events per page" }),
        cursor: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER, description: "next_cursor of the previous page" })
          .openapi({ format: "int64" })
          .optional(),
        action: z.enum(AUDIT_ACTIONS).optional(),
      }),
    },
    responses: {
      200: ok(z.object({ events: z.array(OwnEvent), next_cursor: z.int().nullable() }).openapi("OwnAuditTrail")),
    },
  }),
  async (c) => {
    const { limit, cursor, action } = c.req.valid("query")
    const { accountId } = member(c)
    const rows = await c.var.ctx.store.audit.pageOfAccount(accountId, { action, before: cursor, limit: limit + 1 })
    const { page, last } = pageOf(rows, limit)
    return c.json({ events: page.map((row) => present(row, accountId)), next_cursor: last?.seq ?? null }, 200)
  },
)

function present({ at, action, actor, subject }: AuditRow, accountId: string): z.infer<typeof OwnEvent> {
  const isShown = action.startsWith("node.") || ID_FORM.test(subject)
  return { at: iso(at), action, by: byOf(actor, accountId), subject: isShown ? subject : null }
}

function byOf(actor: string, accountId: string): z.infer<typeof OwnEvent>["by"] {
  if (actor === accountId) return "account"
  if (actor === "admin") return "operator"
  return actor === "payments" || actor === "schedule" ? "service" : "other"
}

export const auditTrailEndpoints: Endpoint[] = [trail]
