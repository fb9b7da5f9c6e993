/** A request that has no answer after this time waits for a server elsewhere, and not for the processor. */
const HOLD_MS = 12

type Begin = () => void

/**
 * Starts requests in turn by network, a few at once. One thread answers all of them, so without turns a flood of one
 * network comes before the single request of another. A turn ends with the first byte of the answer.
 */
export class RequestTurns {
  readonly #atOnce: number
  #running = 0
  /** The requests that wait, by network. The first network has the next turn. */
  readonly #waiting = new Map<string, Set<Begin>>()

  /** @param atOnce requests that may run */
  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /**
   * Starts a request at its turn, or at once.
   * @returns a function that ends the turn or the wait, and may be called again
   */
  request(network: string, start: () => void): () => void {
    let state: "waiting" | "running" | "over" = "waiting"
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = () => {
      if (state === "over") return
      if (state === "waiting") this.#remove(network, begin)
      else this.#running--
      clearTimeout(timer)
      state = "over"
      this.#startNext()
    }
    const begin = () => {
      state = "running"
      this.#running++
      timer = setTimeout(end, HOLD_MS)
      start()
    }
    const ofNetwork = this.#waiting.get(network) ?? new Set()
    this.#waiting.set(network, ofNetwork.add(begin))
    this.#startNext()
    return end
  }

  #startNext(): void {
    for (const [network, requests] of this.#waiting) {
      if (this.#running >= this.#atOnce) return
      const [begin] = requests
      this.#remove(network, begin!)
      // Behind all other networks.
      if (this.#waiting.delete(network)) this.#waiting.set(network, requests)
      begin!()
    }
  }

  #remove(network: string, begin: Begin): void {
    const requests = this.#waiting.get(network)
    requests?.delete(begin)
    if (requests?.size === 0) this.#waiting.delete(network)
  }
}
