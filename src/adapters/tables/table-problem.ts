import { AppError } from "../../errors.ts"

/** The refusal of a file that is no table we read. @param type the contract's name for what is wrong */
export function unreadable(msg: string, type = "value_error"): AppError {
  return new AppError("invalid", msg, { fields: [{ loc: ["body", "file"], msg, type }] })
}

export function tooLarge(what: string): AppError {
  return new AppError("payload_too_large", `${what}; send longer lists to /validate/bulk/async`)
}
