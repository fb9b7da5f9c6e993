/**
 * Lets the event loop serve other requests. One thread serves all of them, so code that reads a long input
 * calls this after each part.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** Characters of addresses per event loop turn: an international domain takes up to 1 us a character. */
const BUDGET_CHARACTERS = 16_384

/** Counts the characters that a loop has processed and signals when to yield. */
export class YieldBudget {
  #characters = 0

  /** Whether the limit is reached. The count then starts again. */
  isOver(characters: number): boolean {
    this.#characters += characters
    if (this.#characters < BUDGET_CHARACTERS) return false
    this.#characters = 0
    return true
  }
}
