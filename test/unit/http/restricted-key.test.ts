import { expect, test } from "vitest"
import { isReserved, scopeOf } from "../../../src/http/restricted-key.ts"
import { ENDPOINT_LIST, FURTHER_ENDPOINTS } from "../../support/stack/endpoint-list.ts"

/** First steps of the paths that only an unrestricted key, or one with the scope "account", may call. */
const ACCOUNT_STEPS = [
  ...[
    "admin",
    "auth",
    "benchmark",
    "billing",
    "cache",
    "catchall-classifier",
    "compliance",
    "db",
    "fleet",
    "gdpr",
    "greylist",
  ],
  ...["health", "infra", "integrations", "ip-pool", "ips", "keys", "me", "ml", "oauth", "plans", "regions"],
  ...["sender-domains", "senders", "stats", "webhooks"],
]

test("an endpoint of a new kind gets its scope by a decision", () => {
  const steps = [...ENDPOINT_LIST, ...FURTHER_ENDPOINTS]
    .map(([, call]) => call.split(" ") as [string, string])
    .filter(([method, path]) => scopeOf(method, path) === "account")
    .map(([, path]) => path.split("/")[1])
  expect([...new Set(steps)].sort()).toEqual(ACCOUNT_STEPS)
})

test.each([
  ["GET", "/validate", "verify"],
  ["GET", "/validate/fast", "verify"],
  ["POST", "/validate/bulk", "lists"],
  ["POST", "/validate/bulk/turbo", "lists"],
  ["POST", "/bulk/upload", "lists"],
  ["GET", "/jobs/{job_id}", "lists"],
  ["POST", "/find-email/v2", "find"],
  ["GET", "/domain-formats", "find"],
  ["GET", "/suppression", "suppression"],
  ["POST", "/bounce", "feedback"],
  ["GET", "/keys", "account"],
  ["GET", "/me/usage", "account"],
  ["GET", "/something-new", "account"],
  ["GET", "/usage", null],
  ["GET", "/auth/me", null],
  ["POST", "/auth/request", null],
])("%s %s needs the scope %s", (method, path, scope) => {
  expect(scopeOf(method, path)).toBe(scope)
})

test.each([
  ["POST", "/keys", true],
  ["PATCH", "/keys/{key_id}", true],
  ["POST", "/keys/{key_id}/rotate", true],
  ["POST", "/me/unconfirmed-keys/{key_id}/join", true],
  ["DELETE", "/me", true],
  ["POST", "/auth/request", false],
  ["POST", "/billing/checkout/{plan}", true],
  ["POST", "/billing/signup", true],
  ["POST", "/billing/portal", true],
  ["POST", "/fleet/tokens", true],
  ["POST", "/fleet/nodes/{node_id}/keys", true],
  ["POST", "/fleet/nodes/{node_id}/drain", false],
  ["POST", "/auth/logout", false],
  ["PUT", "/me/alerts", false],
  ["GET", "/billing/usage/{customer_id}", false],
  ["GET", "/keys", false],
  ["GET", "/me/export", false],
  ["POST", "/validate", false],
])("%s %s is refused to a restricted key: %s", (method, path, expected) => {
  expect(isReserved(method, path)).toBe(expected)
})
