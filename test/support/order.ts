/** Which of some promises is settled first; the rest goes on. */
export function firstOf(racers: Readonly<Record<string, Promise<unknown>>>): Promise<string> {
  return Promise.race(
    Object.entries(racers).map(([name, work]) =>
      work.then(
        () => name,
        () => name,
      ),
    ),
  )
}
