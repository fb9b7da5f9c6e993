const PENALTY_MS = 10 * 60_000

/** Nodes caught lying. For ten minutes they are asked after all others; honest again, they need no pardon. */
export class Disgrace {
  readonly #until = new Map<string, number>()

  note(nodeId: string, now: number): void {
    this.#until.set(nodeId, now + PENALTY_MS)
  }

  /** The same nodes, those in disgrace last. */
  last<T extends { readonly id: string }>(nodes: readonly T[], now: number): T[] {
    const isLow = ({ id }: T) => (this.#until.get(id) ?? 0) > now
    return [...nodes.filter((node) => !isLow(node)), ...nodes.filter(isLow)]
  }
}
