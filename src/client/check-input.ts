import { OPERATIONS } from "./operations.ts"
import { type OperationPlace, takesFile } from "./request.ts"

/** A misspelled option would be ignored without a word. @throws TypeError that names the known options */
export function checkOptions(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${what}: unknown option "${unknown}". Options: ${known.join(", ")}`)
}

/** @throws TypeError when the OpenAPI document has no such operation */
export function checkOperation(operation: string): void {
  if (Object.hasOwn(OPERATIONS, operation)) return
  throw new TypeError(`unknown operation "${operation}". The operationIds are in /openapi.json`)
}

/**
 * Checks the names of an operation's fields, but not their values: the service checks these.
 * @throws TypeError for a missing part of the path, a missing file and for a field that the OpenAPI document does not have
 */
export function checkFields(operation: keyof typeof OPERATIONS, input: object): void {
  const [, path, inQuery, inBody, notJson]: OperationPlace = OPERATIONS[operation]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const values = input as Readonly<Record<string, unknown>>
  const isFile = takesFile(notJson) && !(input instanceof Blob)
  for (const name of inPath)
    if (values[name] === undefined || values[name] === "") throw new TypeError(`${operation}: ${name} is missing`)
  // A Blob is the whole body. Without a list of fields, a JSON body has alternatives, which the service checks.
  if (input instanceof Blob || (inBody === null && !isFile)) return
  const known = [...inPath, ...inQuery, ...(inBody ?? ["file"])]
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown === undefined && isFile && values.file === undefined) throw new TypeError(`${operation}: file is missing`)
  if (unknown === undefined) return
  const advice = known.length === 0 ? "It takes no fields" : `Fields: ${known.join(", ")}`
  throw new TypeError(`${operation}: unknown field "${unknown}". ${advice}`)
}
