/** What a failure of a case may cause: lost items, wrong charges, or leaked data. */
export type Counted = "items" | "bills" | "leaks"

/** The tests of a case: those in the file whose full name contains one of the titles, or all without titles. */
export interface Proof {
  readonly file: string
  readonly titles?: readonly string[]
}

export interface ChaosCase {
  readonly name: string
  readonly counts: readonly Counted[]
  readonly proofs: readonly Proof[]
}

/** The hostile inputs and faults that the service has to survive, and the tests of each. Their numbers begin at 1. */
export const CHAOS_CASES: readonly ChaosCase[] = [
  {
    name: "a signed probe request sent again",
    counts: ["leaks"],
    proofs: [
      {
        file: "test/wire/probe-node-server.test.ts",
        titles: ["a replayed request", "before the node started"],
      },
    ],
  },
  {
    name: "a signed request with another body",
    counts: ["leaks"],
    proofs: [{ file: "test/wire/probe-node-server.test.ts", titles: ["every request with an invalid signature"] }],
  },
  {
    name: "a node's clock ten minutes off",
    counts: ["items"],
    proofs: [{ file: "test/chaos/nodes.test.ts", titles: ["clock is ten minutes off"] }],
  },
  {
    name: "webhook URLs of private networks",
    counts: ["leaks"],
    proofs: [
      { file: "test/unit/webhooks/target-url.test.ts" },
      { file: "test/e2e/webhooks.test.ts", titles: ["a receiver that is not public"] },
    ],
  },
  {
    name: "a name that becomes private before delivery",
    counts: ["leaks"],
    proofs: [{ file: "test/unit/webhooks/sender.test.ts", titles: ["at the attempt itself"] }],
  },
  {
    name: "a receiver that redirects to a private network",
    counts: ["leaks"],
    proofs: [{ file: "test/e2e/webhooks.test.ts", titles: ["with a redirect is not followed"] }],
  },
  {
    name: "a receiver that hangs, drips or never ends",
    counts: ["items"],
    proofs: [
      { file: "test/unit/webhooks/sender.test.ts", titles: ["a hostile receiver"] },
      { file: "test/chaos/receivers.test.ts" },
    ],
  },
  {
    name: "plus signs and spaces in a query",
    counts: [],
    proofs: [{ file: "test/e2e/bad-input.test.ts", titles: ["plus is a plus", "a space"] }],
  },
  {
    name: "addresses that break mail or logs",
    counts: ["leaks"],
    proofs: [{ file: "test/e2e/bad-input.test.ts" }],
  },
  {
    name: "invalid lists, __proto__ keys",
    counts: ["bills"],
    proofs: [
      { file: "test/e2e/bulk.test.ts", titles: ["an invalid list is refused"] },
      { file: "test/chaos/bodies.test.ts", titles: ["special to JavaScript"] },
    ],
  },
  {
    name: "bodies truncated, mistyped, compressed, oversized",
    counts: ["items", "bills"],
    proofs: [
      { file: "test/chaos/bodies.test.ts", titles: ["a compressed body", "truncated bodies"] },
      { file: "test/endpoints.test.ts", titles: ["oversized body", "another content type", "a body that is"] },
      { file: "test/e2e/jobs.test.ts", titles: ["a body that is not a list", "over 100 MB"] },
    ],
  },
  {
    name: "files that expand or never end",
    counts: [],
    proofs: [
      { file: "test/unit/lists/tables.test.ts", titles: ["a workbook", "a file above the limit"] },
      { file: "test/e2e/upload.test.ts", titles: ["refused at once"] },
    ],
  },
  {
    name: "formulas in result cells",
    counts: ["leaks"],
    proofs: [
      { file: "test/unit/lists/tables.test.ts", titles: ["a line of the download"] },
      { file: "test/e2e/upload.test.ts", titles: ["nothing that runs"] },
    ],
  },
  {
    name: "two rotations of a key at once",
    counts: ["leaks"],
    proofs: [
      { file: "test/e2e/keys.test.ts", titles: ["two concurrent rotations", "a revoked key is refused at once"] },
    ],
  },
  {
    name: "500 at once with 100 credits left",
    counts: ["bills"],
    proofs: [
      { file: "test/wire/charges.test.ts", titles: ["500 reservations", "usage equals the ledger"] },
      { file: "test/wire/credit-leases.test.ts" },
      { file: "test/chaos/limits.test.ts", titles: ["100 credits left"] },
    ],
  },
  {
    name: "one Idempotency-Key twice at once",
    counts: ["bills"],
    proofs: [{ file: "test/e2e/idempotency.test.ts" }],
  },
  {
    name: "forged client addresses",
    counts: ["leaks"],
    proofs: [
      { file: "test/chaos/limits.test.ts", titles: ["count as one caller"] },
      { file: "test/e2e/sign-in.test.ts", titles: ["a network gets five requests"] },
    ],
  },
  {
    name: "ids of other accounts, guessed",
    counts: ["leaks"],
    proofs: [
      { file: "test/e2e/tenants.test.ts" },
      { file: "test/e2e/keys.test.ts", titles: ["another account's key"] },
    ],
  },
  {
    name: "a queue that redelivers, reorders, loses",
    counts: ["items", "bills"],
    proofs: [{ file: "test/wire/list-chunks.test.ts" }],
  },
  {
    name: "SIGKILL in the middle of a job",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/bulk-kill.test.ts" }],
  },
  {
    name: "a database that is down, slow or half open",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/database.test.ts" }, { file: "test/e2e/outage.test.ts" }],
  },
  {
    name: "a node that dies or sends false results",
    counts: ["items", "bills"],
    proofs: [
      {
        file: "test/chaos/nodes.test.ts",
        titles: ["false results or die", "never answers", "the connection to the nodes"],
      },
      { file: "test/wire/recipient-lines.test.ts" },
    ],
  },
  {
    name: "events of providers, forged or replayed",
    counts: ["leaks"],
    proofs: [
      { file: "test/e2e/inbound.test.ts", titles: ["is 401", "replays", "Amazon SES"] },
      { file: "test/e2e/billing.test.ts", titles: ["an invalid signature"] },
      { file: "test/unit/suppression/sendgrid.test.ts" },
    ],
  },
  {
    name: "blocklists and resolvers with false answers",
    counts: ["leaks", "bills"],
    proofs: [
      { file: "test/chaos/resolver.test.ts" },
      { file: "test/unit/reference/rbl.test.ts" },
      { file: "test/wire/probe-node-rbl.test.ts" },
      { file: "test/unit/probe-node/address-policy.test.ts" },
    ],
  },
  {
    name: "a long list of duplicates, greylisting, polling",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/long-job.test.ts" }],
  },
  {
    name: "a job after an outage of the database, a node or the edge",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/recovery.test.ts" }],
  },
  {
    name: "a database that reads but accepts no write",
    counts: ["items"],
    proofs: [{ file: "test/chaos/installation.test.ts", titles: ["reads but accepts no write"] }],
  },
  {
    name: "a second edge on one database",
    counts: ["bills", "leaks"],
    proofs: [
      { file: "test/chaos/installation.test.ts", titles: ["a second edge on the database"] },
      { file: "test/wire/edge-lease.test.ts" },
    ],
  },
  {
    name: "a start with the pepper of another installation",
    counts: ["leaks"],
    proofs: [{ file: "test/chaos/installation.test.ts", titles: ["another pepper: a start"] }],
  },
  {
    name: "a refused database token",
    counts: ["items"],
    proofs: [{ file: "test/chaos/installation.test.ts", titles: ["a refused database token"] }],
  },
]
