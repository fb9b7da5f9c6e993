/** A position in a job's items, which are processed in the order of their domains. */
export interface Position {
  readonly domain: string
  readonly idx: number
}

/** Before every item. Malformed addresses have the domain "". */
export const FIRST_POSITION: Position = { domain: "", idx: -1 }

/** Addresses per chunk: enough for sessions of many recipients, few enough to finish well within a lease. */
export const CHUNK_SIZE = 150

/** Knuth's multiplicative hash, 2^32 / golden ratio. */
const SPREAD = 2_654_435_761

/**
 * The due time of a chunk, within the second before `createdAt`. Chunks are scattered, so that the chunks of one large
 * domain do not run at the same time. @param createdAt Unix ms, of the job
 */
export function dispatchOrderOf(chunk: number, createdAt: number): number {
  return createdAt - 1_000 + Math.floor((((chunk * SPREAD) % 2 ** 32) * 1_000) / 2 ** 32)
}
