import { ChunkMessage } from "../../schema/wire/queue.ts"
import { type DispatchNeeds, dispatchChunks } from "../services/bulk/dispatch-chunks.ts"
import { type RunNeeds, runChunk } from "../services/bulk/run-chunk.ts"

const BULK_QUEUE = "mailverdict-bulk"

/** The part of a queue message that is used here. */
interface Message {
  readonly body: unknown
  ack(): void
}

/** Works on the chunks a batch points to, side by side, then hands out the next. Every message is acknowledged: what failed waits in the database. */
export async function consumeChunks(needs: RunNeeds & DispatchNeeds, messages: readonly Message[]): Promise<void> {
  await Promise.all(
    messages.map(async (message) => {
      const pointer = ChunkMessage.safeParse(message.body)
      if (pointer.success) await runChunk(needs, pointer.data)
      else needs.log("queue_message_unread", { queue: BULK_QUEUE })
      message.ack()
    }),
  )
  await dispatchChunks(needs)
}
