/** Whether the request or its answer is lost. The caller cannot distinguish the two. */
export type Lost = "request" | "answer"

/** A `fetch` that fails at the n-th round trip and all later ones. @param isBack only that round trip fails */
export function failAtRoundTrip(n: number, { lost, isBack }: { lost: Lost; isBack: boolean }): typeof fetch {
  let roundTrips = 0
  return async (input, init) => {
    roundTrips++
    if (roundTrips < n || (isBack && roundTrips > n)) return fetch(input, init)
    if (roundTrips === n && lost === "answer") await fetch(input, init)
    throw new TypeError("the store does not answer")
  }
}
