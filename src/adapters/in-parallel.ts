/** Works on every item, at most `width` at a time. The first failure stops what has not begun and is thrown. */
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

/** Unlike an array's own iterator this one ends for all who share it when one of them leaves it. */
function* each<T>(items: readonly T[]): Generator<T> {
  yield* items
}
