import type { Context } from "hono"
import { yieldToEventLoop } from "../concurrency/yield-to-event-loop.ts"
import { sha256 } from "../domain/accounts/crypto.ts"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"
import { InvalidRequest } from "./errors.ts"
import { readBytes } from "./request-body.ts"

interface UploadedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null without one, as for a raw body. */
  readonly name: string | null
  /** Whether its name or type declares plain text. */
  readonly isText: boolean
  /** The form's text fields. */
  readonly fields: Readonly<Record<string, string>>
}

/** Types of a file sent as the raw body. A missing type is allowed, because the bytes decide the format. */
const RAW_TYPES = [
  "",
  ...["text/csv", "text/plain", "text/tab-separated-values", "application/csv", "application/octet-stream"],
  "application/vnd.ms-excel",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
]

/** A file from a form's field `file` or the raw body. @throws AppError for a wrong type, size or form */
export async function readUpload(c: Context<AppEnv>, maxBytes: number): Promise<UploadedFile> {
  const contentType = c.req.header("content-type") ?? ""
  const type = contentType.split(";")[0]!.trim().toLowerCase()
  const isForm = type === "multipart/form-data"
  if (!isForm && !RAW_TYPES.includes(type))
    throw new AppError(
      "unsupported_media_type",
      "send multipart/form-data with a field `file`, or a CSV, text or Excel file as the body",
    )
  const bytes = await readBytes(c, maxBytes, { what: "a file" })
  if (isForm) return readForm(bytes, contentType)
  if (bytes.length === 0) throw badFile()
  return { bytes, name: null, isText: type === "text/plain", fields: {} }
}

/**
 * The content of an upload, for an `Idempotency-Key`: the file's bytes and name, whether it is declared as plain text,
 * and the options of query and form in any order. The form's boundary and the types of its parts do not count.
 */
export async function uploadContent(
  c: Context<AppEnv>,
  { bytes, name, isText, fields }: UploadedFile,
): Promise<string> {
  const options = Object.entries({ ...c.req.query(), ...fields }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([await sha256(bytes), name, isText, options])
}

async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<UploadedFile> {
  const boundary = boundaryOf(contentType)
  if (boundary === null) throw badFile("the form is malformed: its type names no valid boundary")
  const problem = await formProblem(bytes, boundary)
  if (problem !== null) throw badFile(problem, "too_big")
  const checked = { "content-type": `multipart/form-data; boundary="${boundary}"` }
  const form = await new Response(bytes, { headers: checked }).formData().catch(() => null)
  if (!form) throw badFile("the form is malformed")
  const entries = [...form] as [string, string | File][]
  const files = entries.flatMap(([, value]) => (typeof value === "string" ? [] : [value]))
  const [file, second] = files
  if (!file) throw badFile()
  if (second) throw badFile("send one file at a time", "too_big")
  if (file.size === 0) throw badFile("the file is empty")
  const fields = entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []))
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    name: file.name,
    isText: /\.txt$/i.test(file.name),
    fields: Object.fromEntries(fields),
  }
}

function badFile(msg = "the request has no file", type = "missing"): AppError {
  return new InvalidRequest("body", [{ field: ["file"], msg, type }])
}

/** One file and some fields. */
const MAX_PARTS = 20
const MAX_HEADER_BYTES = 8_192
/** The characters and the length of a boundary (RFC 2046 5.1.1). */
const BOUNDARY = /^[\w'()+,./:=? -]{1,70}$/
/** Bytes to search per turn of the event loop. */
const PIECE_BYTES = 262_144

/** The boundary in the type of a form; null when it has none that RFC 2046 allows. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain = ""] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  return BOUNDARY.test(boundary) ? boundary : null
}

/**
 * Checks the number of a form's parts and the length of their headers before the platform parses it. The platform has no
 * such limits: 20 MB of parts or headers block it for seconds. @returns the problem, or null
 */
export async function formProblem(bytes: Uint8Array, boundary: string): Promise<string | null> {
  const delimiter = `--${boundary}`
  let delimiters = 0
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    await yieldToEventLoop()
    const piece = latin1(bytes.subarray(at, at + PIECE_BYTES + delimiter.length - 1))
    for (let found = piece.indexOf(delimiter); found >= 0; found = piece.indexOf(delimiter, found + 1)) {
      // The last delimiter ends the form.
      if (++delimiters > MAX_PARTS + 1) return `the form has more than ${MAX_PARTS} parts`
      const start = at + found + delimiter.length
      const headers = latin1(bytes.subarray(start, start + MAX_HEADER_BYTES))
      if (!headers.startsWith("--") && !/\r\n\r\n|\n\n/.test(headers))
        return `the form has a part whose headers do not end within ${MAX_HEADER_BYTES} bytes`
    }
  }
  return null
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes)
}
