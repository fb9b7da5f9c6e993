/** What a failure of a case may cause: lost items, wrong charges, or leaked data. */
export type Counted = "items" | "bills" | "leaks"

/** The tests of a case: those in the file whose full name contains one of the titles, or all without titles. */
export interface Proof {
  readonly file: string
  readonly titles?: readonly string[]
}

export interface ChaosCase {
  readonly number: number
  readonly name: string
  readonly counts: readonly Counted[]
  readonly proofs: readonly Proof[]
}

/** The hostile inputs and faults that the service has to survive, and the tests of each. */
export const CHAOS_CASES: readonly ChaosCase[] = [
  {
    number: 1,
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
    number: 2,
    name: "a signed request with another body",
    counts: ["leaks"],
    proofs: [{ file: "test/wire/probe-node-server.test.ts", titles: ["every request with an invalid signature"] }],
  },
  {
    number: 3,
    name: "a node's clock ten minutes off",
    counts: ["items"],
    proofs: [{ file: "test/chaos/nodes.test.ts", titles: ["clock is ten minutes off"] }],
  },
  {
    number: 4,
    name: "webhook URLs of private networks",
    counts: ["leaks"],
    proofs: [
      { file: "test/unit/webhooks/target-url.test.ts" },
      { file: "test/e2e/webhooks.test.ts", titles: ["a receiver that is not public"] },
    ],
  },
  {
    number: 5,
    name: "a name that becomes private before delivery",
    counts: ["leaks"],
    proofs: [{ file: "test/unit/webhooks/sender.test.ts", titles: ["at the attempt itself"] }],
  },
  {
    number: 6,
    name: "a receiver that redirects to a private network",
    counts: ["leaks"],
    proofs: [{ file: "test/e2e/webhooks.test.ts", titles: ["with a redirect is not followed"] }],
  },
  {
    number: 7,
    name: "a receiver that hangs, drips or never ends",
    counts: ["items"],
    proofs: [
      { file: "test/unit/webhooks/sender.test.ts", titles: ["a hostile receiver"] },
      { file: "test/chaos/receivers.test.ts" },
    ],
  },
  {
    number: 8,
    name: "plus signs and spaces in a query",
    counts: [],
    proofs: [{ file: "test/e2e/bad-input.test.ts", titles: ["plus is a plus", "a space"] }],
  },
  {
    number: 9,
    name: "addresses that break mail or logs",
    counts: ["leaks"],
    proofs: [{ file: "test/e2e/bad-input.test.ts" }],
  },
  {
    number: 10,
    name: "invalid lists, __proto__ keys",
    counts: ["bills"],
    proofs: [
      { file: "test/e2e/bulk.test.ts", titles: ["an invalid list is refused"] },
      { file: "test/chaos/bodies.test.ts", titles: ["special to JavaScript"] },
    ],
  },
  {
    number: 11,
    name: "bodies truncated, mistyped, compressed, oversized",
    counts: ["items", "bills"],
    proofs: [
      { file: "test/chaos/bodies.test.ts", titles: ["a compressed body", "truncated bodies"] },
      { file: "test/endpoints.test.ts", titles: ["oversized body", "another content type", "a body that is"] },
      { file: "test/e2e/jobs.test.ts", titles: ["a body that is not a list", "over 100 MB"] },
    ],
  },
  {
    number: 12,
    name: "files that expand or never end",
    counts: [],
    proofs: [
      { file: "test/unit/lists/tables.test.ts", titles: ["a workbook", "a file above the limit"] },
      { file: "test/e2e/upload.test.ts", titles: ["refused at once"] },
    ],
  },
  {
    number: 13,
    name: "formulas in result cells",
    counts: ["leaks"],
    proofs: [
      { file: "test/unit/lists/tables.test.ts", titles: ["a line of the download"] },
      { file: "test/e2e/upload.test.ts", titles: ["nothing that runs"] },
    ],
  },
  {
    number: 14,
    name: "two rotations of a key at once",
    counts: ["leaks"],
    proofs: [
      { file: "test/e2e/keys.test.ts", titles: ["two concurrent rotations", "a revoked key is refused at once"] },
    ],
  },
  {
    number: 15,
    name: "500 at once with 100 credits left",
    counts: ["bills"],
    proofs: [
      { file: "test/wire/charges.test.ts", titles: ["500 reservations", "usage equals the ledger"] },
      { file: "test/wire/credit-leases.test.ts" },
      { file: "test/chaos/limits.test.ts", titles: ["100 credits left"] },
    ],
  },
  {
    number: 16,
    name: "one Idempotency-Key twice at once",
    counts: ["bills"],
    proofs: [{ file: "test/e2e/idempotency.test.ts" }],
  },
  {
    number: 17,
    name: "forged client addresses",
    counts: ["leaks"],
    proofs: [
      { file: "test/chaos/limits.test.ts", titles: ["count as one caller"] },
      { file: "test/e2e/sign-in.test.ts", titles: ["a network gets five requests"] },
    ],
  },
  {
    number: 18,
    name: "ids of other accounts, guessed",
    counts: ["leaks"],
    proofs: [
      { file: "test/e2e/tenants.test.ts" },
      { file: "test/e2e/keys.test.ts", titles: ["another account's key"] },
    ],
  },
  {
    number: 19,
    name: "a queue that redelivers, reorders, loses",
    counts: ["items", "bills"],
    proofs: [{ file: "test/wire/list-chunks.test.ts" }],
  },
  {
    number: 20,
    name: "SIGKILL in the middle of a job",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/bulk-kill.test.ts" }],
  },
  {
    number: 21,
    name: "a database that is down, slow or half open",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/database.test.ts" }, { file: "test/e2e/outage.test.ts" }],
  },
  {
    number: 22,
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
    number: 23,
    name: "events of providers, forged or replayed",
    counts: ["leaks"],
    proofs: [
      { file: "test/e2e/inbound.test.ts", titles: ["is 401", "replays", "Amazon SES"] },
      { file: "test/e2e/billing.test.ts", titles: ["an invalid signature"] },
      { file: "test/unit/suppression/sendgrid.test.ts" },
    ],
  },
  {
    number: 24,
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
    number: 25,
    name: "a long list of duplicates, greylisting, polling",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/long-job.test.ts" }],
  },
  {
    number: 26,
    name: "a job after an outage of the database, a node or the edge",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/recovery.test.ts" }],
  },
  {
    number: 27,
    name: "a database that reads but accepts no write",
    counts: ["items"],
    proofs: [{ file: "test/chaos/installation.test.ts", titles: ["reads but accepts no write"] }],
  },
  {
    number: 28,
    name: "a second edge on one database",
    counts: ["bills", "leaks"],
    proofs: [
      { file: "test/chaos/installation.test.ts", titles: ["a second edge on the database"] },
      { file: "test/wire/edge-lease.test.ts" },
    ],
  },
  {
    number: 29,
    name: "a start with the pepper of another installation",
    counts: ["leaks"],
    proofs: [{ file: "test/chaos/installation.test.ts", titles: ["another pepper: a start"] }],
  },
  {
    number: 30,
    name: "a refused database token",
    counts: ["items"],
    proofs: [{ file: "test/chaos/installation.test.ts", titles: ["a refused database token"] }],
  },
]
