/**
 * The call of a verification for a shell. The key stays a variable, so that a shared command holds no secret.
 * @param origin of the API
 * @param body the request, sent as JSON
 */
export function curlCommand(origin: string, body: Readonly<Record<string, unknown>>): string {
  return [
    `curl -s ${quoted(`${origin}/validate`)}`,
    `-H "X-API-Key: $MAILVERDICT_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ")
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
