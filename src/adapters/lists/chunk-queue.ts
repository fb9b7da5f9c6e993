import type { ChunkMessage } from "../../../schema/wire/queue.ts"

/** The producer methods that are used here. */
export interface QueueProducer {
  sendBatch(messages: Iterable<{ body: unknown; contentType?: "json" }>): Promise<unknown>
}

export interface ChunkQueue {
  /** Sends pointers to chunks. A lost message does no harm: the chunk is sent again when its lease expires. */
  send(messages: readonly ChunkMessage[]): Promise<void>
}

/** The platform's limit on a batch. */
const BATCH = 100

export function createChunkQueue(producer: QueueProducer): ChunkQueue {
  return {
    async send(messages) {
      for (let at = 0; at < messages.length; at += BATCH)
        await producer.sendBatch(messages.slice(at, at + BATCH).map((body) => ({ body, contentType: "json" as const })))
    },
  }
}
