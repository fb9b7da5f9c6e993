/** The part of AbortSignal that ends a wait. An AbortSignal is one, too. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: "abort", listener: () => void): void
}

/** Ends waits within one request. In workerd, an AbortController that aborts costs 0.1 ms of CPU: an error with a stack. */
export class Stop implements StopSignal {
  aborted = false
  readonly #listeners: (() => void)[] = []

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Calls the listeners, once. */
  stop(): void {
    this.aborted = true
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
