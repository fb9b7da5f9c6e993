import { z } from "zod"

/** References a chunk in the database. The rows are written first, so that a lost queue loses no work. */
export const ChunkMessage = z.object({
  jobId: z.string().min(1).max(64),
  chunk: z.int().min(0),
  leaseEpoch: z.int().min(1),
})
export type ChunkMessage = z.infer<typeof ChunkMessage>
