import { AppError, type FieldProblem } from "../errors.ts"

type Place = "body" | "query" | "path" | "header"

/** An invalid request whose fields stand in a known part of it. */
export class InvalidRequest extends AppError {
  readonly place: Place

  constructor(place: Place, fields: readonly FieldProblem[], options: { cause?: unknown } = {}) {
    super("invalid", "invalid request", { ...options, fields })
    this.place = place
  }
}
