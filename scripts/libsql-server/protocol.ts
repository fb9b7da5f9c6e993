import { z } from "zod"
import { ProtocolError } from "./sql-error.ts"
import { Value } from "./value.ts"

// Hrana over HTTP in JSON, versions 2 and 3: https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_3_SPEC.md

const sql = z.string().nullish()
const sqlId = z.int32().nullish()

const Stmt = z.object({
  sql,
  sql_id: sqlId,
  args: z.array(Value).nullish(),
  named_args: z.array(z.object({ name: z.string(), value: Value })).nullish(),
  want_rows: z.boolean().nullish(),
})

const step = z.int().nonnegative()
const Condition = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ok"), step }),
  z.object({ type: z.literal("error"), step }),
  z.object({
    type: z.literal("not"),
    get cond(): z.ZodType<BatchCondition> {
      return Condition
    },
  }),
  z.object({
    type: z.enum(["and", "or"]),
    get conds(): z.ZodType<BatchCondition[]> {
      return z.array(Condition)
    },
  }),
  z.object({ type: z.literal("is_autocommit") }),
])

const Batch = z.object({ steps: z.array(z.object({ condition: Condition.nullish(), stmt: Stmt })) })

const StreamRequest = z.discriminatedUnion("type", [
  z.object({ type: z.literal("execute"), stmt: Stmt }),
  z.object({ type: z.literal("batch"), batch: Batch }),
  z.object({ type: z.literal("sequence"), sql, sql_id: sqlId }),
  z.object({ type: z.literal("describe"), sql, sql_id: sqlId }),
  z.object({ type: z.literal("store_sql"), sql_id: z.int32(), sql: z.string() }),
  z.object({ type: z.literal("close_sql"), sql_id: z.int32() }),
  z.object({ type: z.literal("get_autocommit") }),
  z.object({ type: z.literal("close") }),
])

const Pipeline = z.object({ baton: z.string().nullish(), requests: z.array(StreamRequest) })

export type BatchCondition =
  | { type: "ok" | "error"; step: number }
  | { type: "not"; cond: BatchCondition }
  | { type: "and" | "or"; conds: BatchCondition[] }
  | { type: "is_autocommit" }
export type WireStmt = z.infer<typeof Stmt>
export type WireBatch = z.infer<typeof Batch>
export type StreamRequest = z.infer<typeof StreamRequest>
export type Pipeline = z.infer<typeof Pipeline>

/** Parses the body of a pipeline request. @throws ProtocolError that names the invalid field */
export function parsePipeline(body: string): Pipeline {
  const parsed = Pipeline.safeParse(parseJson(body))
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  throw new ProtocolError(`Cannot deserialize client message from JSON: ${message} at ${path.join(".")}`)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new ProtocolError(`Cannot deserialize client message from JSON: ${(error as Error).message}`)
  }
}
