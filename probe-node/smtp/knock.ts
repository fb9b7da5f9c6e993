import { networkOf } from "../address-policy.ts"
import type { Lease, Pacer, Turn } from "../pacing.ts"
import { SYSTEM_SOURCE } from "../sources.ts"
import type { Place } from "./route.ts"

/** Who wants to connect to a place, and hears whether. */
export interface Visitor {
  readonly isCut: boolean
  entered(place: Place, lease: Lease): void
  /** It will not be let in, for this reason. */
  turnedAway(why: string): void
  /** It waits at the door, without a connection, or does so no more. */
  waits(isWaiting: boolean): void
}

interface Wish extends Pick<Turn, "sessionsPerHost" | "priority"> {
  readonly place: Place
  /** When waiting becomes useless, on the clock of `performance.now()`. */
  readonly wallAt: number
}

/** A session before the door of the address it goes to: a turn there, as it had one with the operator. */
export class Knock implements Turn {
  /** Counted with the operator. */
  readonly recipients = 0
  readonly isNamed = false
  readonly isBegun = false
  readonly #wish: Wish
  readonly #visitor: Visitor
  #isDecided = false
  #isWaiting = false

  constructor(wish: Wish, visitor: Visitor) {
    this.#wish = wish
    this.#visitor = visitor
  }

  at(doors: Pick<Pacer, "acquire">): void {
    doors.acquire(this)
    if (this.#isDecided) return
    this.#isWaiting = true
    this.#visitor.waits(true)
  }

  /** Whose door it is. */
  get operator(): string {
    return networkOf(this.#wish.place.address)
  }

  get sourceIps(): readonly string[] {
    return [this.#wish.place.sourceIp ?? SYSTEM_SOURCE]
  }

  get sessionsPerHost(): number {
    return this.#wish.sessionsPerHost
  }

  get priority(): Turn["priority"] {
    return this.#wish.priority
  }

  get wallAtMs(): number {
    return Date.now() + this.#wish.wallAt - performance.now()
  }

  get isCancelled(): boolean {
    return this.#visitor.isCut
  }

  granted(lease: Lease): void {
    this.#decided()
    this.#visitor.entered(this.#wish.place, lease)
  }

  denied(why: string): void {
    this.#decided()
    this.#visitor.turnedAway(why)
  }

  #decided(): void {
    this.#isDecided = true
    if (this.#isWaiting) this.#visitor.waits(false)
  }
}
