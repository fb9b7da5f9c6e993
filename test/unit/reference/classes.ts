import { parseAddress } from "../../../src/domain/address/parse.ts"
import type { Lists } from "../../../src/domain/reference/active-lists.ts"
import { classifyAddress, type ListClasses } from "../../../src/domain/reference/classify.ts"

/** Returns the classes of a well-formed address. */
export function classesOf(email: string, lists?: Lists): ListClasses {
  const address = parseAddress(email)
  if (!address.ok) throw new Error(`malformed test address ${email}`)
  return classifyAddress(address, lists)
}

export const classesAt = (domain: string, lists?: Lists) => classesOf(`jane.miller@${domain}`, lists)

export const table = (text: string) => text.trim().split(/\s+/)
