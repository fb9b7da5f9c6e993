const PENALTY_MS = 10 * 60_000

/** Nodes caught lying. For ten minutes they are asked only when nobody else is left; then they need no pardon. */
export class Disgrace {
  readonly #until = new Map<string, number>()

  note(nodeId: string, now: number): void {
    this.#until.set(nodeId, now + PENALTY_MS)
  }

  isIn(nodeId: string, now: number): boolean {
    return (this.#until.get(nodeId) ?? 0) > now
  }
}
