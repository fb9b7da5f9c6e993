import type { Context } from "hono"
import type { AuditAction } from "../../schema/vocabulary.ts"
import { accountOf, type Caller, subjectOf } from "../domain/accounts/caller.ts"
import type { AppEnv } from "./endpoint.ts"

/** Calls with an action of their own in the trail, for every caller. */
const NAMED: Readonly<Record<string, AuditAction>> = {
  "POST /keys": "key.created",
  "POST /keys/{key_id}/rotate": "key.rotated",
  "PATCH /keys/{key_id}": "key.changed",
  "DELETE /keys/{key_id}": "key.revoked",
  "POST /me/unconfirmed-keys/{key_id}/join": "key.joined",
  "DELETE /me/unconfirmed-keys/{key_id}": "key.revoked",
  "POST /me/payment-offers/{offer_id}/accept": "payment.accepted",
  "POST /me/payment-offers/{offer_id}/decline": "payment.declined",
  "POST /oauth/token": "key.created",
  "POST /oauth/revoke": "key.revoked",
  "POST /auth/verify": "account.signed_in",
  "GET /auth/google/me": "account.signed_in",
  "DELETE /admin/keys/{key_id}": "key.revoked",
  "POST /admin/users/{email}/upgrade": "account.tier_changed",
  "POST /admin/users/{account}/keys": "key.created",
  "POST /admin/users/{account}/suspend": "account.suspended",
  "POST /admin/users/{account}/resume": "account.resumed",
  "GET /me/export": "data.exported",
  "DELETE /me/sessions": "account.sessions_ended",
  "DELETE /me": "customer.erased",
  "GET /gdpr/export": "data.exported",
  "POST /gdpr/erase": "data.erased",
  "DELETE /gdpr/erase": "data.erased",
  "POST /gdpr/domain": "domain.erased",
  "DELETE /gdpr/domain": "domain.erased",
  "POST /gdpr/purge": "data.purged",
  "DELETE /compliance/customer-data/{customer_id}": "customer.erased",
  "POST /fleet/nodes/enrol": "node.enrolled",
  "POST /fleet/nodes/{node_id}/drain": "node.drained",
  "POST /fleet/nodes/{node_id}/resume": "node.resumed",
  "DELETE /fleet/nodes/{node_id}": "node.removed",
  "POST /fleet/nodes/{node_id}/keys": "node.key_changed",
  "POST /admin/update-disposable": "lists.refreshed",
  "POST /admin/update-intelligence": "lists.refreshed",
  "POST /admin/lists/overrides": "lists.override_set",
  "DELETE /admin/lists/overrides/{domain}": "lists.override_removed",
}

/** Actions of the operator only: these calls change the list that applies to all accounts. */
const NAMED_OF_OPERATOR: Readonly<Record<string, AuditAction>> = {
  "POST /suppression/add": "suppression.added",
  "DELETE /suppression/{email}": "suppression.removed",
  "DELETE /suppression/domains/{domain}": "suppression.removed",
}

/** Aggregates that dashboards poll all day. The operator's other reads all add a row. */
const UNAUDITED = new Set([
  "GET /stats",
  "GET /stats/domains",
  "GET /stats/store",
  "GET /cache/stats",
  "GET /db/stats",
  "GET /admin/metrics",
  "GET /admin/accuracy",
  "GET /admin/disposable-stats",
  "GET /admin/domain-intel/stats",
  "GET /admin/domain-learning/stats",
  "GET /gdpr/status",
])

/** Path parameters that are ids of ours; others may hold addresses. */
const ID_PARAMETERS = ["key_id", "customer_id", "job_id", "integration_id"]
/** A parameter may hold an address instead of an id. Only a value in the form of an id is recorded. */
const ID_FORM = /^[a-z]{2,5}_[0-9A-Za-z]{1,64}$/

/** @returns the action to record: of a named call that succeeded, or of any other call with the admin secret */
export function auditActionOf(c: Context<AppEnv>, call: string): AuditAction | null {
  const isAdmin = callerOf(c)?.kind === "admin"
  const named = NAMED[call] ?? (isAdmin ? NAMED_OF_OPERATOR[call] : undefined)
  if (named && c.res.status < 400 && c.get("auditNote") !== null) return named
  return isAdmin && !UNAUDITED.has(call) ? "admin.call" : null
}

/** Appends the call to the audit trail. @param call method and route template */
export async function audit(c: Context<AppEnv>, call: string, action: AuditAction): Promise<void> {
  const [ctx, caller, auditNote] = [c.get("ctx"), callerOf(c), c.get("auditNote")]
  const subject = auditNote?.subject ?? idIn(c.req.param()) ?? ""
  const actor = auditNote?.actor ?? (caller ? (accountOf(caller) ?? subjectOf(caller)) : subject)
  const details = { call, status: c.res.status, ...auditNote?.details }
  try {
    await ctx.store.audit.append({ actor, action, subject, details, at: ctx.clock.now() })
  } catch (error) {
    ctx.log("audit_failed", { action, error: (error as Error).message })
  }
}

/** Public endpoints have no caller. */
function callerOf(c: Context<AppEnv>): Caller | undefined {
  return c.get("caller")
}

function idIn(parameters: Readonly<Record<string, string>>): string | undefined {
  return ID_PARAMETERS.map((name) => parameters[name]).find((id) => id !== undefined && ID_FORM.test(id))
}
