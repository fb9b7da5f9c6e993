import { z } from "zod"
import { DOCTOR_RESULTS } from "../vocabulary.ts"

/** Unix ms, as far as a date goes. */
const moment = z.number().min(0).max(8.64e15)
/** An address, or what stands for one. The edge counts by it: half a character would be what no database reads back. */
const source = z.string().regex(/^[\x21-\x7e]{1,45}$/)

/** One check of the node's own fitness to ask mail servers. */
export const DoctorFinding = z.object({
  check: z.string().max(64), // of DOCTOR_CHECKS; a newer node may have more
  subject: z.string().max(253).nullable(), // the source IP, host or name it is about; null: the node as a whole
  result: z.enum(DOCTOR_RESULTS),
  detail: z.string().max(500), // what was found, and what to do about it
})
export type DoctorFinding = z.infer<typeof DoctorFinding>

/** The findings of one examination. Unfit, when a check failed: mail servers would refuse the node for what it is. */
export const DoctorReport = z.object({
  ranAt: moment,
  fit: z.boolean(),
  findings: z.array(DoctorFinding).max(1_000),
})
export type DoctorReport = z.infer<typeof DoctorReport>

/** What the edge reads of an answer; a longer one is refused. */
export const HEALTH_LIMITS = { bytes: 262_144, sourceIps: 256, blocks: 1_000 } as const

/** Answer of `GET /v1/health`, signed like every answer of a node. Carries no addresses of anybody. */
export const NodeHealth = z.object({
  id: z.string().max(64),
  region: z.string().max(64),
  version: z.string().max(64),
  serverTime: moment, // the edge marks a node unhealthy when it is more than 3 s off
  startedAt: moment,
  draining: z.boolean(),
  load: z.object({
    active: z.int().min(0), // SMTP sessions
    waiting: z.int().min(0), // sessions waiting for their turn
    concurrency: z.int().min(1),
  }),
  sourceIps: z
    .array(z.object({ ip: source, quarantined: z.boolean(), spentToday: z.int().min(0) }))
    .max(HEALTH_LIMITS.sourceIps),
  /** Refusals before RCPT since the start, per source IP and mail operator with a name. */
  blocks: z
    .array(
      z.object({
        operator: z.string().max(64),
        sourceIp: z.string().max(45),
        blocked: z.int().min(0),
        isOpen: z.boolean(), // the breaker holds probes back
      }),
    )
    .max(HEALTH_LIMITS.blocks),
  /** Null until the node has examined itself. */
  doctor: DoctorReport.nullable(),
})
export type NodeHealth = z.infer<typeof NodeHealth>
