import { parseAddress, type ValidAddress } from "../address/parse.ts"

/** The addresses that stand as values of their own in a JSON value. */
export function addressesIn(value: unknown): ValidAddress[] {
  if (typeof value === "string") {
    const address = value.includes("@") ? parseAddress(value) : null
    return address?.ok ? [address] : []
  }
  if (value === null || typeof value !== "object") return []
  return Object.values(value).flatMap(addressesIn)
}
