/** What a round trip loses when the store stops answering: done, or never begun, the caller cannot tell. */
export type Lost = "request" | "answer"

/** A `fetch` to a store that stops answering with its n-th round trip: for good, or for that one. */
export function stopsAnsweringAt(n: number, { lost, isBack }: { lost: Lost; isBack: boolean }): typeof fetch {
  let roundTrips = 0
  return async (input, init) => {
    roundTrips++
    if (roundTrips < n || (isBack && roundTrips > n)) return fetch(input, init)
    if (roundTrips === n && lost === "answer") await fetch(input, init)
    throw new TypeError("the store does not answer")
  }
}
