import { Recent } from "../recent.ts"

const CREDENTIALS = 10_000
/** A look-up that takes longer belongs to a request that the platform ended. */
const LOOK_UP_MS = 10_000

/** What an isolate knows of credentials, by their hashes. Plain values, which may outlive a request. */
export class CredentialMemory {
  readonly #accepted = new Recent<true>(CREDENTIALS)
  /** When the look-up began, Unix ms. */
  readonly #lookingUp = new Recent<number>(CREDENTIALS)

  isAccepted(name: string): boolean {
    return this.#accepted.get(name) ?? false
  }

  /** A credential that was looked up or made here. */
  accept(name: string): void {
    this.#accepted.set(name, true)
  }

  refuse(name: string): void {
    this.#accepted.delete(name)
  }

  /** @returns false when another request already looks it up */
  beginLookUp(name: string, now: number): boolean {
    const since = this.#lookingUp.get(name)
    if (since !== undefined && now - since < LOOK_UP_MS) return false
    this.#lookingUp.set(name, now)
    return true
  }

  endLookUp(name: string): void {
    this.#lookingUp.delete(name)
  }
}
