import type { StatementResult } from "./connection.ts"
import type { BatchCondition, StreamRequest, WireBatch, WireStmt } from "./protocol.ts"
import { type Session, TransactionTimeout } from "./session.ts"
import { ProtocolError, SqlError } from "./sql-error.ts"
import { parseStatement, parseStatements, type Statement } from "./statement.ts"
import type { SqlValue } from "./value.ts"

/** State that the requests of one stream share. */
export interface StreamState {
  readonly session: Session
  /** SQL texts stored by store_sql. */
  readonly sqls: Map<number, string>
  readonly version: 2 | 3
  readonly maxResponseBytes: number
}

// sqld: libsql-server/src/hrana/http/request.rs
const MAX_STORED_SQLS = 50
const MAX_STORED_SQL_BYTES = 5_000

/** Executes one request of a stream. @throws SqlError when the request fails, ProtocolError when it is invalid */
export async function execute(state: StreamState, request: StreamRequest): Promise<object> {
  const { session, version } = state
  const { type } = request
  if (session.closed) throw new ProtocolError("Stream for this baton was closed")
  switch (type) {
    case "execute":
      return { type, result: await executeOne(state, request.stmt) }
    case "batch":
      return { type, result: await executeBatch(state, request.batch) }
    case "sequence":
      await executeSequence(state, sqlOf(state, request))
      return { type }
    case "describe":
      return { type, result: describe(state, sqlOf(state, request)) }
    case "store_sql":
      storeSql(state, request)
      return { type }
    case "close_sql":
      state.sqls.delete(request.sql_id)
      return { type }
    case "get_autocommit":
      if (version < 3) throw notBeforeHrana3("The `get_autocommit` request")
      return { type, is_autocommit: session.isAutocommit }
    case "close":
      session.close()
      return { type }
  }
}

function executeOne(state: StreamState, stmt: WireStmt): Promise<StatementResult> {
  return runStatement(state, { stmt, statement: parseStatement(sqlOf(state, stmt)), budget: budgetOf(state) })
}

interface Step {
  readonly stmt: WireStmt
  readonly statement: Statement
  readonly condition: BatchCondition | null | undefined
}

async function executeBatch(state: StreamState, batch: WireBatch): Promise<object> {
  const steps: Step[] = batch.steps.map(({ stmt, condition }, index) => {
    if (condition) checkCondition(condition, { index, version: state.version })
    return { stmt, condition, statement: parseStatement(sqlOf(state, stmt)) }
  })
  const budget = budgetOf(state)
  const results: (StatementResult | null)[] = []
  const errors: ({ message: string; code: string } | null)[] = []
  for (const { condition, ...step } of steps) {
    const isDue = !condition || holds(condition, { results, session: state.session })
    const outcome = isDue ? await runStatement(state, { ...step, budget }).catch(stepError) : null
    results.push(outcome instanceof SqlError ? null : outcome)
    errors.push(outcome instanceof SqlError ? { message: outcome.message, code: outcome.code } : null)
  }
  return { step_results: results, step_errors: errors }
}

/** Returns an error that fails only its step; throws all others, which end the batch. */
function stepError(error: unknown): SqlError {
  const endsBatch =
    error instanceof TransactionTimeout || !(error instanceof SqlError) || error.code === "RESPONSE_TOO_LARGE"
  if (endsBatch) throw error
  return error
}

async function executeSequence(state: StreamState, sql: string): Promise<void> {
  const budget = budgetOf(state)
  for (const statement of parseStatements(sql)) await runStatement(state, { stmt: {}, statement, budget })
}

async function runStatement(
  { session }: StreamState,
  { stmt, statement, budget }: { stmt: WireStmt; statement: Statement; budget: { bytes: number } },
): Promise<StatementResult> {
  const result = await session.run(statement, { args: argumentsOf(statement, stmt), budget })
  return stmt.want_rows === false ? { ...result, rows: [] } : result
}

function argumentsOf({ parameters, isExplain }: Statement, { args, named_args }: WireStmt): SqlValue[] {
  const positional = args ?? []
  const named = new Map(named_args?.map(({ name, value }) => [name, value]))
  if (positional.length > 0 && named.size > 0) {
    const message = "Specifying both positional and named arguments is not supported"
    throw new SqlError("ARGS_BOTH_POSITIONAL_AND_NAMED", message)
  }
  const given = positional.length + named.size
  if (given > parameters.length) throw invalidArgs(`too many parameters, expected ${parameters.length} found ${given}`)
  return parameters.map((name, index) => {
    const value = !name || name.startsWith("?") ? positional[index] : named.get(named.has(name) ? name : name.slice(1))
    if (value === undefined && !isExplain) throw invalidArgs(`value for parameter ${name ?? index + 1} not found`)
    return value ?? null
  })
}

function invalidArgs(reason: string): SqlError {
  return new SqlError("ARGS_INVALID", `Arguments do not match SQL parameters: ${reason}`)
}

function describe({ session }: StreamState, sql: string): object {
  const statement = parseStatement(sql)
  return {
    params: statement.parameters.map((name) => ({ name })),
    cols: session.columns(statement),
    is_explain: statement.isExplain,
    is_readonly: statement.isReadonly,
  }
}

function storeSql({ sqls }: StreamState, { sql_id, sql }: { sql_id: number; sql: string }): void {
  if (sqls.has(sql_id)) throw new ProtocolError(`SQL text ${sql_id} already exists`)
  if (sqls.size >= MAX_STORED_SQLS) {
    throw new SqlError("SQL_STORE_TOO_MANY", `The server already stores ${sqls.size} SQL texts, it cannot store more`)
  }
  const bytes = Buffer.byteLength(sql)
  if (bytes > MAX_STORED_SQL_BYTES) {
    throw new SqlError("SQL_STORE_TOO_LARGE", `The statement is too large to be stored: ${bytes} B/5.0 KB`)
  }
  sqls.set(sql_id, sql)
}

interface SqlReference {
  readonly sql?: string | null | undefined
  readonly sql_id?: number | null | undefined
}

function sqlOf({ sqls }: StreamState, { sql, sql_id }: SqlReference): string {
  if (sql != null && sql_id != null) throw new ProtocolError("Either `sql` or `sql_id` are required, but not both")
  if (sql != null) return sql
  if (sql_id == null) throw new ProtocolError("Either `sql` or `sql_id` are required")
  const stored = sqls.get(sql_id)
  if (stored === undefined) throw new ProtocolError(`SQL text ${sql_id} not found`)
  return stored
}

function checkCondition(condition: BatchCondition, where: { index: number; version: number }): void {
  if ("step" in condition && condition.step >= where.index) {
    throw new ProtocolError("Invalid reference to step in a batch condition")
  }
  if (condition.type === "is_autocommit" && where.version < 3)
    throw notBeforeHrana3("BatchCond of type `is_autocommit`")
  if ("cond" in condition) checkCondition(condition.cond, where)
  if ("conds" in condition) for (const each of condition.conds) checkCondition(each, where)
}

/** Whether a batch condition is true. A skipped step counts as failed, as in sqld. */
function holds(
  condition: BatchCondition,
  past: { results: readonly (StatementResult | null)[]; session: Session },
): boolean {
  switch (condition.type) {
    case "ok":
      return past.results[condition.step] !== null
    case "error":
      return past.results[condition.step] === null
    case "not":
      return !holds(condition.cond, past)
    case "and":
      return condition.conds.every((each) => holds(each, past))
    case "or":
      return condition.conds.some((each) => holds(each, past))
    case "is_autocommit":
      return past.session.isAutocommit
  }
}

function budgetOf({ maxResponseBytes }: StreamState): { bytes: number } {
  return { bytes: maxResponseBytes }
}

function notBeforeHrana3(what: string): ProtocolError {
  return new ProtocolError(`${what} is only supported in protocol version hrana3 and higher`)
}
