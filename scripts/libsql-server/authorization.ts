import { createHash, timingSafeEqual } from "node:crypto"

/** The reason to reject an Authorization header, in sqld's words; null when it is valid or no token is required. */
export function refusal(header: string | undefined, token: string | undefined): string | null {
  if (!token) return null
  if (header === undefined) return "The `Authorization` HTTP header is required but was not specified"
  const [scheme, given] = header.split(" ", 2)
  if (scheme?.toLowerCase() !== "bearer") {
    return "The authentication scheme in the `Authorization` HTTP header is not supported"
  }
  return timingSafeEqual(digest(given ?? ""), digest(token)) ? null : "The JWT is invalid"
}

/** Digests have equal lengths, so the comparison takes the same time for every input. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
