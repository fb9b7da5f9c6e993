import type { Connection, ResponseBudget, StatementResult } from "./connection.ts"
import type { BatchCondition, PipelineRequest, WireBatch, WireStmt } from "./protocol.ts"
import { ProtocolError, SqlError } from "./sql-error.ts"
import { parseStatement, parseStatements, type Statement } from "./statement.ts"
import type { SqlValue } from "./value.ts"

/** What the requests of one pipeline share. */
export interface PipelineState {
  readonly connection: Connection
  /** SQL texts stored by store_sql: the client sends a repeated text once. */
  readonly sqls: Map<number, string>
  readonly maxResponseBytes: number
}

/** Executes one request of a pipeline. @throws SqlError when the request fails, ProtocolError when it is invalid */
export function execute(state: PipelineState, request: PipelineRequest): object {
  const { type } = request
  switch (type) {
    case "execute":
      return { type, result: executeOne(state, request.stmt) }
    case "batch":
      return { type, result: executeBatch(state, request.batch) }
    case "sequence":
      executeSequence(state, sqlOf(state, request))
      return { type }
    case "store_sql":
      state.sqls.set(request.sql_id, request.sql)
      return { type }
    case "close_sql":
      state.sqls.delete(request.sql_id)
      return { type }
    case "close":
      return { type }
  }
}

interface Step {
  readonly statement: Statement
  readonly stmt: WireStmt
}

interface Run {
  readonly budget: ResponseBudget
  readonly willWrite: boolean
}

function executeOne(state: PipelineState, stmt: WireStmt): StatementResult {
  const statement = parseStatement(sqlOf(state, stmt))
  return runStep(state, { statement, stmt }, runOf(state, [statement]))
}

function executeBatch(state: PipelineState, { steps }: WireBatch): object {
  const parsed = steps.map(({ stmt, condition }, index) => {
    if (condition) checkCondition(condition, index)
    return { stmt, condition, statement: parseStatement(sqlOf(state, stmt)) }
  })
  const statements = parsed.map(({ statement }) => statement)
  const run = runOf(state, statements)
  const results: (StatementResult | null)[] = []
  const errors: ({ message: string; code: string } | null)[] = []
  for (const step of parsed) {
    const isDue = !step.condition || holds(step.condition, results)
    const outcome = isDue ? tryStep(state, step, run) : null
    results.push(outcome instanceof SqlError ? null : outcome)
    errors.push(outcome instanceof SqlError ? { message: outcome.message, code: outcome.code } : null)
  }
  return { step_results: results, step_errors: errors }
}

/** Returns an error that fails only its step; throws all others, which end the batch. */
function tryStep(state: PipelineState, step: Step, run: Run): StatementResult | SqlError {
  try {
    return runStep(state, step, run)
  } catch (error) {
    const endsBatch =
      !(error instanceof SqlError) ||
      error.code === "RESPONSE_TOO_LARGE" ||
      (error.code === "SQLITE_BUSY" && !state.connection.hasWritten)
    if (endsBatch) throw error
    return error
  }
}

function executeSequence(state: PipelineState, sql: string): void {
  const statements = parseStatements(sql)
  const run = runOf(state, statements)
  for (const statement of statements) runStep(state, { statement, stmt: {} }, run)
}

function runOf({ maxResponseBytes }: PipelineState, statements: readonly Statement[]): Run {
  return { budget: { bytes: maxResponseBytes }, willWrite: statements.some(({ isWrite }) => isWrite) }
}

function runStep({ connection }: PipelineState, { statement, stmt }: Step, run: Run): StatementResult {
  const result = connection.run(statement, { args: argumentsOf(statement, stmt), ...run })
  return stmt.want_rows === false ? { ...result, rows: [] } : result
}

function argumentsOf({ parameters }: Statement, { args }: WireStmt): readonly SqlValue[] {
  const given = args ?? []
  if (given.length === parameters) return given
  const message = `Arguments do not match SQL parameters: expected ${parameters}, found ${given.length}`
  throw new SqlError("ARGS_INVALID", message)
}

interface SqlReference {
  readonly sql?: string | null | undefined
  readonly sql_id?: number | null | undefined
}

function sqlOf({ sqls }: PipelineState, { sql, sql_id }: SqlReference): string {
  if (sql != null && sql_id != null) throw new ProtocolError("Either `sql` or `sql_id` are required, but not both")
  if (sql != null) return sql
  if (sql_id == null) throw new ProtocolError("Either `sql` or `sql_id` are required")
  const stored = sqls.get(sql_id)
  if (stored === undefined) throw new ProtocolError(`SQL text ${sql_id} not found`)
  return stored
}

function checkCondition(condition: BatchCondition, index: number): void {
  if (condition.type === "not") checkCondition(condition.cond, index)
  else if (condition.step >= index) throw new ProtocolError("Invalid reference to step in a batch condition")
}

/** Whether a batch condition is true. A skipped step counts as failed, as in sqld. */
function holds(condition: BatchCondition, results: readonly (StatementResult | null)[]): boolean {
  return condition.type === "not" ? !holds(condition.cond, results) : results[condition.step] !== null
}
