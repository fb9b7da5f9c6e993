import { exampleInput, FILE, type Input, type PublishedOperation, type Schemas } from "./code-samples.ts"

/** The header of each credential of the document. */
const HEADERS: Readonly<Record<string, string>> = {
  ApiKey: "X-API-Key: $KEY",
  Session: "Authorization: Bearer $SESSION",
  GoogleIdToken: "Authorization: Bearer $GOOGLE_ID_TOKEN",
  AdminSecret: "X-Admin-Secret: $ADMIN_SECRET",
}
/** A key comes first where several credentials work. */
const PREFERRED = Object.keys(HEADERS)

interface Route {
  readonly method: string
  readonly path: string
}

/** A call with curl, with example values for the required fields and the credentials in variables. */
export function curlSample(operation: PublishedOperation, { method, path }: Route, schemas: Schemas): string {
  const { parameters = [], requestBody } = operation
  const input = exampleInput(operation, { schemas, wanted: [] })
  const placeOf = new Map(parameters.map((one) => [one.name, one.in]))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const query = Object.entries(input)
    .filter(([name]) => placeOf.get(name) === "query")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  const url = `"$BASE${[filled, ...query].join("&").replace("&", "?")}"`
  const body = Object.fromEntries(Object.entries(input).filter(([name]) => !placeOf.has(name)))
  const parts = [
    method === "GET" || (method === "POST" && requestBody) ? `curl ${url}` : `curl -X ${method} ${url}`,
    ...credential(operation).map((header) => `-H "${header}"`),
    ...(requestBody ? bodyArguments(body, Object.keys(requestBody.content ?? {})) : []),
  ]
  return parts.join(" \\\n  ")
}

function credential({ security = [] }: PublishedOperation): string[] {
  const alone = security.filter((way) => Object.keys(way).length === 1)
  const scheme = PREFERRED.find((name) => alone.some((way) => name in way))
  return scheme === undefined ? [] : [HEADERS[scheme]!]
}

/** @param types the media types that the operation accepts */
function bodyArguments(body: Input, types: readonly string[]): string[] {
  if (!Object.values(body).includes(FILE)) {
    const json = JSON.stringify(body).replaceAll("'", "'\\''")
    return ["-H 'Content-Type: application/json'", `-d '${json}'`]
  }
  if (types.includes("multipart/form-data")) return ["-F file=@list.csv"]
  const type = types.includes("text/csv") ? "text/csv" : "application/json"
  return [`-H 'Content-Type: ${type}'`, type === "text/csv" ? "--data-binary @list.csv" : "--data-binary @events.json"]
}
