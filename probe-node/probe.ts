import type { ProbeRequest, RecipientLine } from "../schema/wire/probe.ts"
import { ChunkRun, type EngineNeeds, type RunContext } from "./chunk-run.ts"
import { planChunks } from "./plan.ts"
import { Siblings } from "./siblings.ts"

/** One probe request at work. Lines are given to `emit` as they become known; `done` resolves after the last. */
export class ProbeRun implements RunContext {
  readonly done: Promise<void>
  readonly startedAt = performance.now()
  readonly needs: EngineNeeds
  readonly request: ProbeRequest
  readonly siblings = new Siblings()
  readonly emit: (line: RecipientLine) => void
  readonly #chunks: Set<ChunkRun>
  #resolve: () => void = () => undefined

  constructor(needs: EngineNeeds, request: ProbeRequest, emit: (line: RecipientLine) => void) {
    this.needs = needs
    this.request = request
    this.emit = emit
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
    const chunks = request.groups.flatMap((group) => planChunks(group).map((parts) => new ChunkRun(this, group, parts)))
    this.#chunks = new Set(chunks)
    for (const chunk of chunks) chunk.start()
  }

  get wallAt(): number {
    return this.startedAt + this.request.deadlineMs
  }

  finished(chunk: ChunkRun): void {
    this.#chunks.delete(chunk)
    if (this.#chunks.size === 0) this.#resolve()
  }

  /** Nobody listens any more: cuts every session and asks nothing further. */
  cancel(): void {
    if (this.#chunks.size === 0) return
    for (const chunk of this.#chunks) chunk.cancel()
    this.needs.doors.sweep()
    this.needs.pacer.sweep()
  }
}
