import { Recent } from "../../domain/recent.ts"

/** A small in-memory cache of plain values with a short lifetime, inside one isolate. */
export class Memo<T> {
  readonly #entries: Recent<{ readonly value: T; readonly until: number }>
  readonly #ttlMs: number

  constructor({ capacity, ttlMs }: { capacity: number; ttlMs: number }) {
    this.#entries = new Recent(capacity)
    this.#ttlMs = ttlMs
  }

  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.until > now ? entry.value : undefined
  }

  set(key: string, value: T, now: number): void {
    this.#entries.set(key, { value, until: now + this.#ttlMs })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
