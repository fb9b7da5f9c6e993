import { hasReferenceData, type ReferenceData, setReferenceData } from "../../domain/reference/tables.ts"

/** The path of the asset with the tables of src/data. The build replaces the name. */
declare const REFERENCE_PATH: string

const NEWLINE = 10
/** Only the path of the URL matters to the binding. */
const ASSETS_ORIGIN = "https://assets.invalid"

interface Assets {
  fetch(url: string): Promise<Response>
}

/**
 * Loads the reference data of this build unless the isolate has it. Each caller that finds it missing fetches it, since
 * a request must not wait for the I/O of another.
 * @throws Error when the asset cannot be read
 */
export async function loadReferenceData(assets: Assets, path: string = REFERENCE_PATH): Promise<void> {
  if (hasReferenceData()) return
  const response = await assets.fetch(`${ASSETS_ORIGIN}/${path}`)
  if (!response.ok) throw new Error(`the asset ${path} answered ${response.status}`)
  setReferenceData(decodeReferenceFile(new Uint8Array(await response.arrayBuffer())))
}

/** Joins tables into one file: a line of JSON with the name and length of each, then their bytes. */
export function encodeReferenceFile(data: ReferenceData): Uint8Array<ArrayBuffer> {
  const lengths = [...data].map(([name, bytes]) => [name, bytes.length] as const)
  const head = new TextEncoder().encode(`${JSON.stringify(lengths)}\n`)
  const file = new Uint8Array(lengths.reduce((total, [, length]) => total + length, head.length))
  file.set(head)
  let at = head.length
  for (const bytes of data.values()) {
    file.set(bytes, at)
    at += bytes.length
  }
  return file
}

/** The tables of a file, as views of it. @throws Error when the file is cut or longer than its tables */
export function decodeReferenceFile(file: Uint8Array): ReferenceData {
  const headEnd = file.indexOf(NEWLINE)
  const lengths = JSON.parse(new TextDecoder().decode(file.subarray(0, headEnd))) as [string, number][]
  let at = headEnd + 1
  const data = new Map<string, Uint8Array>()
  for (const [name, length] of lengths) {
    data.set(name, file.subarray(at, at + length))
    at += length
  }
  if (at !== file.length) throw new Error(`the reference file has ${file.length} bytes instead of ${at}`)
  return data
}
