import { z } from "zod"

/** One check of the node's own fitness to send: "what was looked at" and what to do when it is not right. */
export const DoctorFinding = z.object({
  check: z.string().max(64),
  ok: z.boolean(),
  detail: z.string().max(500),
})
export type DoctorFinding = z.infer<typeof DoctorFinding>

/** Answer of `GET /v1/health`, signed like every answer of a node. Carries no addresses of anybody. */
export const NodeHealth = z.object({
  id: z.string().max(64),
  region: z.string().max(64),
  version: z.string().max(64),
  serverTime: z.number(), // Unix ms; the edge marks a node unhealthy when it is more than 3 s off
  startedAt: z.number(), // Unix ms
  draining: z.boolean(),
  load: z.object({
    active: z.int().min(0), // SMTP sessions
    waiting: z.int().min(0), // sessions waiting for their turn
    concurrency: z.int().min(1),
  }),
  sourceIps: z.array(z.object({ ip: z.string().max(45), quarantined: z.boolean(), spentToday: z.int().min(0) })),
  /** Refusals before RCPT since the start, per source IP and mail operator. */
  blocks: z.array(
    z.object({
      operator: z.string().max(64),
      sourceIp: z.string().max(45),
      blocked: z.int().min(0),
      isOpen: z.boolean(), // the breaker holds probes back
    }),
  ),
  /** Null until the node has examined itself. */
  doctor: z.object({ ranAt: z.number(), fit: z.boolean(), findings: z.array(DoctorFinding) }).nullable(),
})
export type NodeHealth = z.infer<typeof NodeHealth>
