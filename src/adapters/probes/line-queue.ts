/** A queue with several writers and one reader. Items come out in order until `end` is called. */
export class LineQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #isEnded = false
  #wake: () => void = () => undefined

  push(item: T): void {
    this.#waiting.push(item)
    this.#wake()
  }

  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      yield* this.#waiting.splice(0)
      if (this.#waiting.length > 0) continue
      if (this.#isEnded) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
