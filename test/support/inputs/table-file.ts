import type { TableFile } from "../../../src/services/lists/read-table.ts"
import { NO_OPTIONS } from "./read-table.ts"

/** A file about which its caller says nothing else. */
export function tableFile(bytes: Uint8Array | string, said: Partial<TableFile> = {}): TableFile {
  const given = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes
  return { bytes: given, ...NO_OPTIONS, ...said }
}
