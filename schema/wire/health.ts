import { z } from "zod"
import { DOCTOR_RESULTS } from "../vocabulary.ts"

/** Unix ms, within the range of a JavaScript date. */
const moment = z.number().min(0).max(8.64e15)
/** A source IP, or its placeholder. Printable ASCII, because the edge uses it as a database key. */
const source = z.string().regex(/^[\x21-\x7e]{1,45}$/)

/** One doctor finding about the node's fitness to probe mail servers. */
export const DoctorFinding = z.object({
  check: z.string().max(64), // of DOCTOR_CHECKS; a newer node may have others
  subject: z.string().max(253).nullable(), // source IP, host or name; null: the whole node
  result: z.enum(DOCTOR_RESULTS),
  detail: z.string().max(500), // the result and, for a problem, the solution
})
export type DoctorFinding = z.infer<typeof DoctorFinding>

/** How the detail of a failed `egress` begins when no mail host answers: outgoing port 25 is closed. */
export const PORT_25_CLOSED = "no mail host answers on port 25"

/** The findings of one doctor run. A node with a failed check is unfit, because mail servers would refuse it. */
export const DoctorReport = z.object({
  ranAt: moment,
  fit: z.boolean(),
  findings: z.array(DoctorFinding).max(1_000),
})
export type DoctorReport = z.infer<typeof DoctorReport>

/** Limits of the edge for an answer. It refuses a larger one. */
export const HEALTH_LIMITS = { bytes: 262_144, sourceIps: 256, blocks: 1_000 } as const

/** Answer of `GET /v1/health`, signed like every answer of a node. It contains no email addresses. */
export const NodeHealth = z.object({
  id: z.string().max(64),
  region: z.string().max(64),
  version: z.string().max(64),
  serverTime: moment, // the edge marks a node unhealthy when it is more than 3 s off
  startedAt: moment,
  draining: z.boolean(),
  load: z.object({
    active: z.int().min(0), // SMTP sessions
    waiting: z.int().min(0), // sessions waiting for a permit
    concurrency: z.int().min(1),
  }),
  sourceIps: z
    .array(z.object({ ip: source, quarantined: z.boolean(), spentToday: z.int().min(0) }))
    .max(HEALTH_LIMITS.sourceIps),
  /** Refusals before RCPT since the start, per source IP and named mail operator. */
  blocks: z
    .array(
      z.object({
        operator: z.string().max(64),
        sourceIp: z.string().max(45),
        blocked: z.int().min(0),
        isOpen: z.boolean(), // the breaker blocks probes
      }),
    )
    .max(HEALTH_LIMITS.blocks),
  /** Null until the first doctor run is complete. */
  doctor: DoctorReport.nullable(),
})
export type NodeHealth = z.infer<typeof NodeHealth>
