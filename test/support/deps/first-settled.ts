/** The name of the promise that settles first. The others continue. */
export function firstSettled(racers: Readonly<Record<string, Promise<unknown>>>): Promise<string> {
  return Promise.race(
    Object.entries(racers).map(([name, work]) =>
      work.then(
        () => name,
        () => name,
      ),
    ),
  )
}
