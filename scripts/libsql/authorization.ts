import { createHash, timingSafeEqual } from "node:crypto"

/** Why an Authorization header is refused, in sqld's words; null when it is accepted or no token is required. */
export function refusal(header: string | undefined, token: string | undefined): string | null {
  if (!token) return null
  if (header === undefined) return "The `Authorization` HTTP header is required but was not specified"
  const [scheme, given] = header.split(" ", 2)
  if (scheme?.toLowerCase() !== "bearer") {
    return "The authentication scheme in the `Authorization` HTTP header is not supported"
  }
  return timingSafeEqual(digest(given ?? ""), digest(token)) ? null : "The JWT is invalid"
}

/** Equal lengths, so that the comparison takes the same time whatever is given. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
