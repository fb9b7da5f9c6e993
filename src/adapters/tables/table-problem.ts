import { type AppError, invalidField } from "../../errors.ts"

/** The error for a file that is not a readable table. @param type the error type in the API contract */
export function unreadable(msg: string, type?: string): AppError {
  return invalidField(["file"], msg, type)
}
