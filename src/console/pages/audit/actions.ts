import type { AuditAction } from "../../../../schema/vocabulary.ts"

/** What happened, in words. */
export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  "key.created": "API key created",
  "key.rotated": "API key rotated",
  "key.changed": "API key changed",
  "key.joined": "API key joined the account",
  "key.revoked": "API key revoked",
  "account.signed_in": "Signed in",
  "account.sessions_ended": "Sessions ended",
  "account.tier_changed": "Plan changed",
  "account.suspended": "Account suspended",
  "account.resumed": "Account resumed",
  "payment.accepted": "Payment accepted",
  "payment.declined": "Payment declined",
  "data.exported": "Data exported",
  "data.erased": "Data of an address erased",
  "domain.erased": "Data of a domain erased",
  "customer.erased": "Account erased",
  "data.purged": "Expired data removed",
  "node.enrolled": "Probe node enrolled",
  "node.drained": "Probe node drained",
  "node.resumed": "Probe node resumed",
  "node.removed": "Probe node removed",
  "node.key_changed": "Key of a probe node changed",
  "lists.refreshed": "Domain lists updated",
  "lists.override_set": "Domain list entry set",
  "lists.override_removed": "Domain list entry removed",
  "suppression.added": "Suppressed for all accounts",
  "suppression.removed": "No longer suppressed for all accounts",
  "admin.call": "Other call of the operator",
}

/** Choices of a filter. */
export const ACTION_OPTIONS: readonly (readonly [AuditAction | "", string])[] = [
  ["", "Everything"],
  ...(Object.entries(ACTION_WORDS) as [AuditAction, string][]),
]

/** Actions that concern an account. */
export const OWN_ACTION_OPTIONS = ACTION_OPTIONS.filter(
  ([action]) => action === "" || /^(?:key|account|payment|data|domain|node)\./.test(action),
)
