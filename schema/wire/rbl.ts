import { z } from "zod"

/**
 * Blocklist look-ups (RFC 5782) by a probe node's own resolver, because lists refuse public resolvers.
 * The node reports raw answers. The edge decides which of them mean "listed".
 */
export const RBL_PATH = "/v1/rbl"

const RBL_LIMITS = { ips: 32, zones: 64, deadlineMs: 10_000 } as const

const zone = z.string().regex(/^[a-z0-9._-]{1,253}$/)

export const RblRequest = z.object({
  requestId: z.string().min(1).max(64),
  deadlineMs: z.int().min(100).max(RBL_LIMITS.deadlineMs),
  ips: z.array(z.ipv4()).min(1).max(RBL_LIMITS.ips),
  /** Lists to query. A node with PROBE_RBL_ZONES queries those lists instead. */
  zones: z.array(zone).min(1).max(RBL_LIMITS.zones),
})
export type RblRequest = z.infer<typeof RblRequest>

/** A records of one look-up. Empty for NXDOMAIN, null when the look-up failed. */
const answer = z.array(z.ipv4()).max(16).nullable()

export const RblZoneAnswer = z.object({
  zone,
  /** Answers for the test points of RFC 5782 §5, at most a day old: 127.0.0.2 must be listed, 127.0.0.1 must not. */
  listedTestPoint: answer,
  cleanTestPoint: answer,
  answers: z.array(z.object({ ip: z.ipv4(), records: answer })).max(RBL_LIMITS.ips),
})
export type RblZoneAnswer = z.infer<typeof RblZoneAnswer>

export const RblAnswer = z.object({ requestId: z.string(), zones: z.array(RblZoneAnswer).max(RBL_LIMITS.zones) })
export type RblAnswer = z.infer<typeof RblAnswer>
