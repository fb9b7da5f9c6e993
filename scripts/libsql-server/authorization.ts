import { hash, timingSafeEqual } from "node:crypto"

/** The reason to reject an Authorization header, in sqld's words. Null when the header is valid. */
export type Refusal = (header: string | undefined) => string | null

/** @param token the required bearer token; without one every header is valid */
export function refusalFor(token: string | undefined): Refusal {
  if (!token) return () => null
  const expected = digest(token)
  return (header) => {
    if (header === undefined) return "The `Authorization` HTTP header is required but was not specified"
    const [scheme, given] = header.split(" ", 2)
    if (scheme?.toLowerCase() !== "bearer") {
      return "The authentication scheme in the `Authorization` HTTP header is not supported"
    }
    return timingSafeEqual(digest(given ?? ""), expected) ? null : "The JWT is invalid"
  }
}

/** Digests have equal lengths, so the comparison takes the same time for every input. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer")
}
