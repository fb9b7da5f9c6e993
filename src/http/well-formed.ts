import { parseAddress, type ValidAddress } from "../domain/address/parse.ts"
import { AppError } from "../errors.ts"

/** An address where only a real one makes sense. @throws AppError bad_request, with what is wrong with it */
export function wellFormed(email: string): ValidAddress {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `this is not an address: ${address.message}`)
  return address
}
