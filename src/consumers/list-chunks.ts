import { ChunkMessage } from "../../schema/wire/queue.ts"
import { DATABASE_WAIT_MS, whenAvailable } from "../concurrency/repeat.ts"
import type { Context } from "../context.ts"
import { runChunks } from "../services/lists/run-chunk.ts"
import { dispatchChunks } from "../services/lists/start-job.ts"

const BULK_QUEUE = "mailverdict-bulk"

/**
 * Runs the chunks of a batch in parallel, then dispatches the next ones. Acknowledges every message: a failed chunk
 * waits in the database.
 */
export async function consumeChunks(ctx: Context, messages: readonly { body: unknown; ack(): void }[]): Promise<void> {
  const pointers = messages.map(({ body }) => ChunkMessage.safeParse(body))
  for (const { success } of pointers) if (!success) ctx.log("queue_message_unread", { queue: BULK_QUEUE })
  await runChunks(
    ctx,
    pointers.flatMap(({ success, data }) => (success ? [data] : [])),
  )
  for (const message of messages) message.ack()
  await whenAvailable(ctx.clock, ctx.clock.now() + DATABASE_WAIT_MS, () => dispatchChunks(ctx))
}
