/** A place in a job's items, which are worked on in the order of their domains. */
export interface Position {
  readonly domain: string
  readonly idx: number
}

/** Before every item; malformed addresses have the domain "". */
export const BEGINNING: Position = { domain: "", idx: -1 }

/** Addresses of a chunk: enough for sessions of many recipients, few enough to be done well within a lease. */
export const CHUNK_SIZE = 150

/** Knuth's multiplicative hash, 2^32 / golden ratio. */
const SPREAD = 2_654_435_761

/**
 * When a chunk's turn comes, as a moment within the second before `createdAt`: chunks are scattered, so that the many
 * chunks of one large domain do not all go out at the same time. @param createdAt Unix ms, of the job
 */
export function turnOf(chunk: number, createdAt: number): number {
  return createdAt - 1_000 + Math.floor((((chunk * SPREAD) % 2 ** 32) * 1_000) / 2 ** 32)
}
