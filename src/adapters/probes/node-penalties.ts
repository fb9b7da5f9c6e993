const PENALTY_MS = 10 * 60_000

/** Nodes that violated the protocol. For ten minutes they are used only when no other node is left. */
export class NodePenalties {
  readonly #until = new Map<string, number>()

  add(nodeId: string, now: number): void {
    this.#until.set(nodeId, now + PENALTY_MS)
  }

  isActive(nodeId: string, now: number): boolean {
    return (this.#until.get(nodeId) ?? 0) > now
  }
}
