/** What a case's tests count besides being passed: items that got lost, charges that are wrong, things told that should not be. */
export type Counted = "items" | "bills" | "leaks"

/** Tests that hold a case: those of a file whose full name contains one of the titles; all of them without titles. */
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

/** The hostile inputs and faults the service has to survive, and the tests that hold each. */
export const CHAOS_CASES: readonly ChaosCase[] = [
  {
    number: 1,
    name: "a signed probe request sent again",
    counts: ["leaks"],
    proofs: [
      {
        file: "test/wire/probe-node-server.test.ts",
        titles: ["a request that was seen before", "before the node started"],
      },
    ],
  },
  {
    number: 2,
    name: "its headers with another body",
    counts: ["leaks"],
    proofs: [{ file: "test/wire/probe-node-server.test.ts", titles: ["everything that is not signed right"] }],
  },
  {
    number: 3,
    name: "a node's clock ten minutes off",
    counts: ["items"],
    proofs: [{ file: "test/chaos/nodes.test.ts", titles: ["clock is ten minutes off"] }],
  },
  {
    number: 4,
    name: "webhook URLs that lead inside",
    counts: ["leaks"],
    proofs: [
      { file: "test/unit/webhooks/target-url.test.ts" },
      { file: "test/e2e/webhooks.test.ts", titles: ["what is not a public receiver"] },
    ],
  },
  {
    number: 5,
    name: "a name that becomes private by delivery",
    counts: ["leaks"],
    proofs: [{ file: "test/unit/webhooks/sender.test.ts", titles: ["at the attempt itself"] }],
  },
  {
    number: 6,
    name: "a receiver that redirects inside",
    counts: ["leaks"],
    proofs: [{ file: "test/e2e/webhooks.test.ts", titles: ["sends us elsewhere"] }],
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
    name: "plus signs and blanks in a query",
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
    name: "lists that are no lists, __proto__ keys",
    counts: ["bills"],
    proofs: [
      { file: "test/e2e/bulk.test.ts", titles: ["what is no list is refused"] },
      { file: "test/chaos/bodies.test.ts", titles: ["special to JavaScript"] },
    ],
  },
  {
    number: 11,
    name: "bodies cut short, mistyped, packed, oversized",
    counts: ["items", "bills"],
    proofs: [
      { file: "test/chaos/bodies.test.ts", titles: ["packed to burst", "end too early"] },
      { file: "test/endpoints.test.ts", titles: ["oversized body", "another content type", "a body that is"] },
      { file: "test/e2e/jobs.test.ts", titles: ["a body that is no list", "over 100 MB"] },
    ],
  },
  {
    number: 12,
    name: "files that burst or never end",
    counts: [],
    proofs: [
      { file: "test/unit/tables/tables.test.ts", titles: ["a workbook", "a file beyond the limit"] },
      { file: "test/e2e/upload.test.ts", titles: ["refused at once"] },
    ],
  },
  {
    number: 13,
    name: "formulas in result cells",
    counts: ["leaks"],
    proofs: [
      { file: "test/unit/tables/tables.test.ts", titles: ["a line of the download"] },
      { file: "test/e2e/upload.test.ts", titles: ["nothing that runs"] },
    ],
  },
  {
    number: 14,
    name: "two rotations of a key at once",
    counts: ["leaks"],
    proofs: [{ file: "test/e2e/keys.test.ts", titles: ["two rotations", "not one request more"] }],
  },
  {
    number: 15,
    name: "500 at once with 100 credits left",
    counts: ["bills"],
    proofs: [
      { file: "test/wire/charges.test.ts", titles: ["500 reservations", "whatever is reserved"] },
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
      { file: "test/chaos/limits.test.ts", titles: ["it is one stranger"] },
      { file: "test/e2e/sign-in.test.ts", titles: ["from one network"] },
    ],
  },
  {
    number: 18,
    name: "ids of other accounts, guessed",
    counts: ["leaks"],
    proofs: [
      { file: "test/chaos/limits.test.ts", titles: ["guessing ids"] },
      { file: "test/e2e/tenants.test.ts" },
      { file: "test/e2e/keys.test.ts", titles: ["another account's key"] },
    ],
  },
  {
    number: 19,
    name: "a queue that redelivers, reorders, loses",
    counts: ["items", "bills"],
    proofs: [{ file: "test/wire/bulk-chunks.test.ts" }],
  },
  {
    number: 20,
    name: "SIGKILL in the middle of a job",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/bulk-kill.test.ts" }],
  },
  {
    number: 21,
    name: "a database that is gone, slow or half there",
    counts: ["items", "bills"],
    proofs: [{ file: "test/chaos/database.test.ts" }, { file: "test/e2e/outage.test.ts" }],
  },
  {
    number: 22,
    name: "a node that dies or lies",
    counts: ["items", "bills"],
    proofs: [
      { file: "test/chaos/nodes.test.ts", titles: ["lie or die", "never answers", "the line to the nodes"] },
      { file: "test/wire/recipient-lines.test.ts" },
    ],
  },
  {
    number: 23,
    name: "events of providers, forged or replayed",
    counts: ["leaks"],
    proofs: [
      { file: "test/e2e/inbound.test.ts", titles: ["is 401", "replays", "Amazon SES"] },
      { file: "test/e2e/billing.test.ts", titles: ["signature does not hold"] },
      { file: "test/unit/inbound/sendgrid.test.ts" },
    ],
  },
  {
    number: 24,
    name: "blocklists and resolvers that lie",
    counts: ["leaks", "bills"],
    proofs: [
      { file: "test/chaos/resolver.test.ts" },
      { file: "test/unit/facts/rbl.test.ts" },
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
]
