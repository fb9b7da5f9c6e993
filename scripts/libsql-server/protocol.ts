import { z } from "zod"
import { ProtocolError } from "./sql-error.ts"
import { Value } from "./value.ts"

// The part of Hrana 2 over HTTP in JSON that `@libsql/client/web` sends without interactive transactions:
// https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_2_SPEC.md

const sql = z.string().nullish()
const sqlId = z.int32().nullish()

const Stmt = z.object({ sql, sql_id: sqlId, args: z.array(Value).nullish(), want_rows: z.boolean().nullish() })

const Condition = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ok"), step: z.int().nonnegative() }),
  z.object({
    type: z.literal("not"),
    get cond(): z.ZodType<BatchCondition> {
      return Condition
    },
  }),
])

const Batch = z.object({ steps: z.array(z.object({ condition: Condition.nullish(), stmt: Stmt })) })

const PipelineRequest = z.discriminatedUnion("type", [
  z.object({ type: z.literal("execute"), stmt: Stmt }),
  z.object({ type: z.literal("batch"), batch: Batch }),
  z.object({ type: z.literal("sequence"), sql, sql_id: sqlId }),
  z.object({ type: z.literal("store_sql"), sql_id: z.int32(), sql: z.string() }),
  z.object({ type: z.literal("close_sql"), sql_id: z.int32() }),
  z.object({ type: z.literal("close") }),
])

const Pipeline = z.object({ baton: z.null().optional(), requests: z.array(PipelineRequest) })

export type BatchCondition = { type: "ok"; step: number } | { type: "not"; cond: BatchCondition }
export type WireStmt = z.infer<typeof Stmt>
export type WireBatch = z.infer<typeof Batch>
export type PipelineRequest = z.infer<typeof PipelineRequest>

/**
 * Parses the body of a pipeline.
 * @returns its requests
 * @throws ProtocolError that names the invalid field, or that the pipeline does not end with its last request: it would
 *   be an interactive transaction
 */
export function parsePipeline(body: string): readonly PipelineRequest[] {
  const parsed = Pipeline.safeParse(parseJson(body))
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw new ProtocolError(`Cannot deserialize client message from JSON: ${message} at ${path.join(".")}`)
  }
  const { requests } = parsed.data
  if (requests.at(-1)?.type === "close") return requests
  throw new ProtocolError("interactive transactions are not supported: send a transaction as one batch")
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new ProtocolError(`Cannot deserialize client message from JSON: ${(error as Error).message}`)
  }
}
