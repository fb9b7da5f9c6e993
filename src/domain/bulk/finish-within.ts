/** Bounds of `finish_within`, in seconds. */
export const FINISH_WITHIN = { min: 10, max: 86_400 } as const

/** When a job ends at the latest, Unix ms. Null: it ends with its last retry. @param createdAt Unix ms */
export function endsAtOf({
  createdAt,
  finishWithin,
}: {
  createdAt: number
  finishWithin: number | null
}): number | null {
  return finishWithin === null ? null : createdAt + finishWithin * 1_000
}
