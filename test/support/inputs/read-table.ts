import { openTable, type Table, type TableOptions } from "../../../src/adapters/lists/tables.ts"

/** The content of the file decides everything. */
export const NO_OPTIONS: TableOptions = { isText: false, sheet: null, column: null, encoding: null }

/** Opens a file with the given options and none else. */
export function open(bytes: Uint8Array, options: Partial<TableOptions> = {}): Promise<Table> {
  return openTable(bytes, { ...NO_OPTIONS, ...options })
}

/** All records of a file. */
export async function recordsOf(bytes: Uint8Array, options: Partial<TableOptions> = {}): Promise<string[][]> {
  const records: string[][] = []
  for await (const record of (await open(bytes, options)).records) records.push([...record])
  return records
}

/** Why a file is refused, null when it is read. */
export async function refusalOf(
  bytes: Uint8Array,
  options: Partial<TableOptions> = {},
): Promise<{ code: string; message: string } | null> {
  try {
    await recordsOf(bytes, options)
    return null
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return { code, message }
  }
}
