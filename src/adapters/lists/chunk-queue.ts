import type { ChunkMessage } from "../../../schema/wire/queue.ts"

/** The producer methods that are used here. */
export interface QueueProducer {
  sendBatch(messages: Iterable<{ body: unknown; contentType?: "json" }>): Promise<unknown>
}

export type ChunkQueue = ReturnType<typeof createChunkQueue>

/** The platform's limit on a batch. */
const BATCH = 100

export function createChunkQueue(producer: QueueProducer) {
  return {
    /** Sends pointers to chunks. A lost message does no harm: the chunk is sent again when its lease expires. */
    async send(messages: readonly ChunkMessage[]) {
      for (let at = 0; at < messages.length; at += BATCH)
        await producer.sendBatch(messages.slice(at, at + BATCH).map((body) => ({ body, contentType: "json" as const })))
    },
  }
}
