import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SHOWS_SECRET_ONCE } from "../../src/client/request.ts"
import { type ClientOperation, clientOperations, schemaOf } from "./client-operations.ts"
import { componentIn, type Schema, type Schemas } from "./docs/code-samples.ts"
import { checkClasses, reserveNames } from "./python-names.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const module = join(root, "src/client-python/mailverdict")
const FIRST_LINE = '"""Generated from the published document, and not committed: `npm run build:python`."""'

/** The optional fields of methods: an operation, and the fields that its method takes in another way. */
const OPTIONS: Readonly<Record<string, readonly [operationId: string, without: readonly string[]]>> = {
  VerifyOptions: ["validateByBody", ["email"]],
  StoredOptions: ["validateFast", ["email"]],
  UploadOptions: ["uploadList", ["file", "sample"]],
  SubmitOptions: ["validateAsync", ["emails", "sample"]],
  DownloadOptions: ["downloadResults", ["job_id"]],
  ResultOptions: ["getJob", ["job_id", "limit", "cursor"]],
  ListFilter: ["listJobs", ["limit", "cursor"]],
  KeyChange: ["changeKey", ["key_id"]],
  SuppressionOptions: ["addSuppression", ["email", "domain"]],
  SuppressionFilter: ["listSuppressions", ["limit", "cursor"]],
  ImportOptions: ["importSuppressions", ["file"]],
  EndpointChange: ["changeWebhookEndpoint", ["endpoint_id"]],
  DeliveryFilter: ["listWebhookDeliveries", ["limit", "cursor"]],
}
/** Names for the items of arrays, which methods return one by one: an object, and its field. */
const ITEMS: Readonly<Record<string, readonly [object: string, field: string]>> = {
  ListResult: ["Job", "results"],
  Suppression: ["SuppressionPage", "suppressions"],
  WebhookDelivery: ["WebhookDeliveries", "deliveries"],
  RegionHealth: ["RegionsHealthAnswer", "regions"],
}
/** A field that is a keyword of Python is written with "_" at its end, as PEP 8 recommends. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
)
const IDEMPOTENCY_KEY: Schema = {
  type: "string",
  description: "Identifies the request, so that a retry is never charged twice. Generated when it is left out",
}
const FILE: Schema = {
  description: "A path, bytes, or an open file",
  customTypePath: "mailverdict._file_body.File",
}

/** Writes the table of operations and the types of the Python client. @param bin the folder of datamodel-codegen */
function generatePython(bin: string): void {
  const { operations, schemas } = clientOperations()
  const definitions: Record<string, Schema> = { ...schemas }
  for (const operation of operations) {
    if (!componentIn(operation.answer) && !operation.answersText)
      definitions[`${operation.name}Answer`] = operation.answer
    for (const [name, input] of inputsOf(operation, schemas)) definitions[name] = { ...input }
  }
  for (const [name, [object, field]] of Object.entries(ITEMS)) {
    const { properties } = definitions[object] as unknown as InputSchema
    const { items, ...array } = properties[field]!
    definitions[name] = items as Schema
    const named = { ...array, items: { $ref: `#/components/schemas/${name}` } }
    definitions[object] = { ...definitions[object], properties: { ...properties, [field]: named } }
  }
  for (const [name, [operationId, without]] of Object.entries(OPTIONS)) {
    const [[, input]] = inputsOf(operations.find((one) => one.operationId === operationId)!, schemas) as [Input]
    const fields = Object.entries(input.properties).filter(([field]) => !without.includes(field))
    definitions[name] = { ...input, properties: Object.fromEntries(fields), required: [] }
  }
  const reserved = reserveNames(definitions)
  writeTypes(bin, schemaOf(reserved))
  checkClasses(reserved, readFileSync(join(module, "types.py"), "utf8"))
  writeFileSync(join(module, "_operations.py"), operationsText(operations, schemas))
  execFileSync(join(bin, "ruff"), ["format", "--quiet", "--no-cache", join(module, "_operations.py")])
}

interface InputSchema {
  readonly type: "object"
  readonly properties: Schemas
  readonly required: readonly string[]
}
type Input = readonly [name: string, schema: InputSchema]

/** The keyword arguments of an operation. A body with alternatives has a type for each of them. */
function inputsOf(operation: ClientOperation, schemas: Schemas): Input[] {
  const { name, parameters, acceptsFile, method, body } = operation
  const flat: Record<string, Schema> = Object.fromEntries(parameters.map((field) => [field.name, field.schema]))
  if (acceptsFile) flat.file = FILE
  if (method === "POST") flat.idempotency_key = IDEMPOTENCY_KEY
  const required = [
    ...parameters.filter((field) => field.required).map((field) => field.name),
    ...(acceptsFile ? ["file"] : []),
  ]
  const bodies = body ? alternativesOf(body, schemas) : [{ properties: {}, required: [] }]
  return bodies.map((one, at) => {
    const fields = Object.entries({ ...flat, ...one.properties })
    const properties = Object.fromEntries(fields.map(([field, schema]) => [argument(field), schema]))
    const input = { type: "object", properties, required: [...required, ...one.required].map(argument) } as const
    return [`${name}Input${bodies.length > 1 ? at + 1 : ""}`, input]
  })
}

const argument = (field: string) => (KEYWORDS.has(field) ? `${field}_` : field)

type Fields = Pick<InputSchema, "properties" | "required">

/** The objects that a JSON body can be. An array has no keyword arguments. */
function alternativesOf(schema: Schema, schemas: Schemas): Fields[] {
  const component = componentIn(schema)
  if (component) return alternativesOf(schemas[component]!, schemas)
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined
  if (choices) return choices.flatMap((one) => alternativesOf(one, schemas))
  if (Array.isArray(schema.allOf))
    return (schema.allOf as Schema[]).map((one) => alternativesOf(one, schemas)).reduce(combined)
  if (schema.type === "array") return []
  const { properties = {}, required = [] } = schema as Partial<Fields>
  return [{ properties, required }]
}

function combined(some: Fields[], others: Fields[]): Fields[] {
  return some.flatMap((one) =>
    others.map((other) => ({
      properties: { ...one.properties, ...other.properties },
      required: [...one.required, ...other.required],
    })),
  )
}

/** The types of inputs and answers, by datamodel-code-generator. */
function writeTypes(bin: string, schema: object): void {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-python-"))
  const file = join(folder, "schema.json")
  try {
    writeFileSync(file, JSON.stringify(schema))
    execFileSync(
      join(bin, "datamodel-codegen"),
      [
        ...["--input", file, "--input-file-type", "jsonschema", "--output", join(module, "types.py")],
        ...["--output-model-type", "typing.TypedDict", "--enum-field-as-literal", "all", "--use-field-description"],
        // Python 3.9 has no `X | None` outside of annotations, and no TypeAlias.
        ...["--target-python-version", "3.10", "--no-use-union-operator", "--no-use-closed-typed-dict"],
        ...["--import-overrides", '{"TypeAlias": "typing_extensions", "TypedDict": "typing_extensions"}'],
        ...["--use-type-alias", "--skip-root-model", "--custom-file-header", FIRST_LINE, "--formatters", "ruff-format"],
      ],
      // It warns of each format of a string that has no Python type, such as an IP address.
      { cwd: folder, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, PYTHONWARNINGS: "ignore" } },
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function operationsText(operations: readonly ClientOperation[], schemas: Schemas): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const rows = operations.map((operation) => {
    const { operationId, method, path, inQuery, inBody, acceptsFile, answersText } = operation
    const flags = [
      acceptsFile && "takes_file=True",
      answersText && "answers_text=True",
      SHOWS_SECRET_ONCE.has(operationId) && "shows_secret_once=True",
    ].filter((flag) => flag !== false)
    const places = [JSON.stringify(method), JSON.stringify(path), tuple(inQuery), inBody ? tuple(inBody) : "None"]
    return `"${operationId}": Place(${[...places, ...flags].join(", ")}),`
  })
  const calls = operations.map((operation) => signatures(operation, schemas, answerType(operation)))
  const streams = operations.filter((one) => one.answersText)
  return `${FIRST_LINE}

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, Protocol, overload

from mailverdict._place import Place

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from mailverdict import types

__version__ = ${JSON.stringify(version)}

OPERATIONS: dict[str, Place] = {
    ${rows.join("\n    ")}
}


class Call(Protocol):
    """Calls any operation of the OpenAPI document by its \`operationId\`."""

${calls.join("\n")}

class Stream(Protocol):
    """Streams the answer of an operation that is text, such as CSV, in pieces of bytes."""

${streams.map((operation) => signatures(operation, schemas, "Iterator[bytes]")).join("\n")}`
}

const tuple = (names: readonly string[]) => `(${names.map((name) => `${JSON.stringify(name)},`).join("")})`

function answerType({ name, answer, answersText }: ClientOperation): string {
  return answersText ? "str" : `types.${componentIn(answer) ?? `${name}Answer`}`
}

/** A signature for each shape of the input. */
function signatures(operation: ClientOperation, schemas: Schemas, answer: string): string {
  const { operationId, method, path, summary } = operation
  const about = JSON.stringify(`${method} ${path}. ${summary}`).slice(1, -1)
  return inputsOf(operation, schemas)
    .map(([input]) => {
      const parameters = `self, operation: Literal["${operationId}"], /, **fields: Unpack[types.${input}]`
      return `    @overload\n    def __call__(${parameters}) -> ${answer}:\n        """${about}."""\n        ...\n`
    })
    .join("\n")
}

const source = join(root, "src/client-python")
const tools = join(root, ".cache/python/tools")
const bin = join(tools, "bin")

const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, { stdio: ["ignore", "inherit", "inherit"] })

/** Installs the locked tools, unless they are already there. Needs Python 3.10 or later, and PyPI for the first time. */
function ensureTools(): void {
  const lock = join(source, "requirements/tools.txt")
  const stamp = join(tools, "installed-from")
  const digest = createHash("sha256").update(readFileSync(lock)).digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return
  run("python3", ["-m", "venv", "--clear", tools])
  run(join(bin, "pip"), ["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", lock])
  writeFileSync(stamp, digest)
}

/** Builds the package `mailverdict` for PyPI: a wheel, and the archive of its sources with the generated modules. */
function buildPython(out: string): void {
  ensureTools()
  generatePython(bin)
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-python-"))
  try {
    for (const part of ["mailverdict", "pyproject.toml", "README.md"])
      cpSync(join(source, part), join(folder, part), { recursive: true })
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
    rmSync(out, { recursive: true, force: true })
    // Without isolation, the build uses the locked backend instead of the newest one.
    run(join(bin, "python"), ["-m", "build", "--no-isolation", "--outdir", out, folder])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) buildPython(join(root, "dist/python"))
