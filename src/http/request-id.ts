const GIVEN = /^[\w-]{8,64}$/

/** The name of a request, which every answer and log line carries: the caller's X-Request-Id when it is harmless, else a new one. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get("x-request-id")
  return given !== null && GIVEN.test(given) ? given : crypto.randomUUID()
}
