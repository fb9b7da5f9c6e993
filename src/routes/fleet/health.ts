import { z } from "@hono/zod-openapi"
import { RELEASE } from "../../../schema/wire/version.ts"
import { type DatabaseProblem, STORAGE_STATES, type StorageState } from "../../domain/admin/installation.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"
import { checkHealth } from "../../services/admin/health.ts"

const endpoint = endpointsOf("service")

const Health = component("Health", {
  status: z.enum(["ok", "degraded"]),
  version: z.string().openapi({ description: "Of the interface", example: "6.0.0" }),
  release: z.string().openapi({ description: "Of the software that runs here", example: "0.1.0" }),
  database: z.object({
    reachable: z.boolean(),
    writable: z.boolean().optional().openapi({ description: "False when it answers but accepts no writes" }),
    ms: z.int().openapi({ description: "Duration of the last test, which is at most five seconds old" }),
  }),
  storage: z.enum(STORAGE_STATES).optional().openapi({
    description:
      "Free space for the data. `low` is a warning: free space soon. `full`: calls that need a write answer 503. Missing where the platform stores the data",
  }),
  probe_nodes: z.int().openapi({ description: "Nodes available for probes" }),
  fleet: z
    .object({
      healthy: z.int(),
      degraded: z.int(),
      draining: z.int(),
      unfit: z.int(),
      quarantined: z.int(),
      gone: z.int(),
    })
    .openapi({ description: "Shared probe nodes by state" }),
  google_sign_in: z.boolean().openapi({ description: "Whether people can sign in with Google" }),
  sandbox: z.boolean().openapi({
    description:
      "Whether addresses under `.test` lead to the mail servers of `npm start`. Otherwise the service answers for them itself, for free",
  }),
  time: z.iso.datetime(),
})
const Degraded = Health.extend({ detail: z.string().openapi({ description: "The failure" }) })

/** What a stranger may know about each problem of the database. The log says more (`database_problem`). */
const DETAILS: Readonly<Record<DatabaseProblem, string>> = {
  silent: "the database does not answer",
  token_refused: "the database refuses the service's token",
  schema_old: "the database lacks a migration",
  foreign: "the database belongs to another installation",
  read_only: "the database accepts no writes",
  full: "storage full: no space is left for data",
}

/** The results of a test that wrote. */
const WRITE_TESTED: ReadonlySet<DatabaseProblem | null> = new Set([null, "read_only", "full"])

function problemOf(database: DatabaseProblem | null, storage: StorageState | null, probeNodes: number): string | null {
  // The database on a full disk may still have room in its file, or fail in other words.
  if (storage === "full") return DETAILS.full
  if (database) return DETAILS[database]
  return probeNodes === 0 ? "no probe node is available" : null
}

const health = endpoint("public", "GET /health", {
  operationId: "health",
  summary: "Check the service",
  description:
    "Says whether the service and its dependencies work. Needs no key. 503 names what is broken, so that a monitor can use the status alone.",
  answer: Health,
  responses: { 503: ok(Degraded, "A dependency does not answer") },
  isDiagnostic: true,
  async handle(c) {
    const { database, storage, probeNodes, fleet, time } = await checkHealth(c.var.ctx)
    const { problem: cause, ms } = database
    const problem = problemOf(cause, storage, probeNodes)
    const answer = {
      status: problem ? ("degraded" as const) : ("ok" as const),
      version: VERSION,
      release: RELEASE,
      fleet,
      database: {
        reachable: cause !== "silent" && cause !== "token_refused",
        // Unknown when the test ended before the write.
        ...(WRITE_TESTED.has(cause) ? { writable: cause === null } : {}),
        ms,
      },
      probe_nodes: probeNodes,
      google_sign_in: c.var.ctx.google !== null,
      sandbox: c.var.ctx.config.hasSandbox,
      ...(storage && { storage }),
      time: iso(time),
    }
    return problem ? c.json({ ...answer, detail: problem }, 503) : c.json(answer, 200)
  },
})

/** The version of the API (spec, "Versioning"). */
export const VERSION = "6.0.0"

export const healthEndpoints: Endpoint[] = [health]
