import { ChunkMessage } from "../../schema/wire/queue.ts"
import type { Context } from "../context.ts"
import { dispatchChunks } from "../services/bulk/dispatch-chunks.ts"
import { runChunk } from "../services/bulk/run-chunk.ts"

const BULK_QUEUE = "mailverdict-bulk"

/** The used part of a queue message. */
interface Message {
  readonly body: unknown
  ack(): void
}

/**
 * Runs the chunks of a batch in parallel, then dispatches the next ones. Acknowledges every message: a failed chunk
 * waits in the database.
 */
export async function consumeChunks(ctx: Context, messages: readonly Message[]): Promise<void> {
  await Promise.all(
    messages.map(async (message) => {
      const pointer = ChunkMessage.safeParse(message.body)
      if (pointer.success) await runChunk(ctx, pointer.data)
      else ctx.log("queue_message_unread", { queue: BULK_QUEUE })
      message.ack()
    }),
  )
  await dispatchChunks(ctx)
}
