import { EventEmitter, once } from "node:events"

const MAX_TRIPLETS = 20_000

/** Greylisting by the triplet of client IP, envelope sender and recipient (RFC 6647 §2.2). */
export class Greylist {
  readonly #firstSeen = new Map<string, number>()
  readonly #seconds: number
  readonly #events = new EventEmitter().setMaxListeners(0)
  #state: "timed" | "held" | "released" = "timed"

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /** Seconds until the triplet is accepted; 0 when it is accepted now. Another attempt does not restart the time. */
  secondsLeft({ client, sender, recipient }: { client: string; sender: string; recipient: string }): number {
    if (this.#state !== "timed") return this.#state === "held" ? 1 : 0
    const triplet = `${client} ${sender.toLowerCase()} ${recipient.toLowerCase()}`
    const now = performance.now()
    const since = this.#firstSeen.get(triplet) ?? now
    if (since === now) this.#remember(triplet, now)
    return Math.max(0, Math.ceil(this.#seconds - (now - since) / 1_000))
  }

  /** Refuses every triplet until `release`. */
  hold(): void {
    this.#state = "held"
  }

  /** From now on every triplet is accepted, and hosts that hang in their greeting answer. */
  release(): void {
    this.#state = "released"
    this.#events.emit("release")
  }

  /** Waits for the release. @throws AbortError when the signal aborts before it */
  async released(signal: AbortSignal): Promise<void> {
    if (this.#state !== "released") await once(this.#events, "release", { signal })
  }

  #remember(triplet: string, now: number): void {
    this.#firstSeen.set(triplet, now)
    const [oldest] = this.#firstSeen.keys()
    if (this.#firstSeen.size > MAX_TRIPLETS && oldest !== undefined) this.#firstSeen.delete(oldest)
  }
}
