import { shownText } from "../address/shown-email.ts"

/** Returns the file name to store. Null for a name that may contain an address, which an erasure would not find. */
export function storedFileName(given: string): string | null {
  const name = shownText(given.trim())
  return name === "" || name.includes("@") ? null : name
}
