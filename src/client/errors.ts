/** One offending field of a refused request. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** The service refused a call. */
export class MailverdictError extends Error {
  override readonly name = "MailverdictError"
  readonly status: number
  /** Quote it when you ask about this call. */
  readonly requestId: string | null
  /** What is wrong with the request, for 422. */
  readonly fields: readonly FieldProblem[]
  readonly retryAfterSeconds: number | null

  constructor(answer: { status: number; detail: unknown; requestId: string | null; retryAfterSeconds: number | null }) {
    const fields = Array.isArray(answer.detail) ? (answer.detail as FieldProblem[]) : []
    const inWords = fields.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")
    super(typeof answer.detail === "string" ? answer.detail : inWords || `the service answered ${answer.status}`)
    this.status = answer.status
    this.requestId = answer.requestId
    this.retryAfterSeconds = answer.retryAfterSeconds
    this.fields = fields
  }
}

/** The service did not answer, however often it was asked. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError"
}

/** Results were asked for before their job's end: `waitForJob` waits for it. */
export class UnfinishedJobError extends Error {
  override readonly name = "UnfinishedJobError"
}
