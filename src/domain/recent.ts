/** A bounded cache of two generations. A full younger one replaces the older one, without eviction searches. */
export class Recent<T> {
  readonly #capacity: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: string): T | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: T): void {
    if (this.#young.size >= this.#capacity && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  *values(): Generator<T> {
    yield* this.#young.values()
    for (const [key, value] of this.#old) if (!this.#young.has(key)) yield value
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
