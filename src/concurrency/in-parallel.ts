/** Processes every item, at most `width` at a time. The first failure is thrown and stops items that have not begun. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = each(items)
  await Promise.all(
    Array.from({ length: Math.min(width, items.length) }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}

/** A shared generator: when one worker leaves it, it ends for all workers. An array's own iterator does not. */
function* each<T>(items: readonly T[]): Generator<T> {
  yield* items
}
