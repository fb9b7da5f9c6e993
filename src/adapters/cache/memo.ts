/** A small memory of plain values for a few seconds, inside one isolate. Oldest entries leave first when it is full. */
export class Memo<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>()
  readonly #capacity: number
  readonly #ttlMs: number

  constructor({ capacity, ttlMs }: { capacity: number; ttlMs: number }) {
    this.#capacity = capacity
    this.#ttlMs = ttlMs
  }

  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key)
    if (entry && entry.until > now) return entry.value
    if (entry) this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: T, now: number): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#capacity) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(key, { value, until: now + this.#ttlMs })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
