const GIVEN = /^[\w-]{8,64}$/

/** The id in every response and log line: the caller's X-Request-Id if it is safe, else a new one. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get("x-request-id")
  return given !== null && GIVEN.test(given) ? given : crypto.randomUUID()
}
