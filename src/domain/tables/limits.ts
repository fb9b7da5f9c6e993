/** Bounds of an uploaded table. A longer list goes to /validate/bulk/async, which is read as a stream. */
export const TABLE_LIMITS = {
  /** Of the file, and of everything in a workbook when it is unpacked. */
  bytes: 20_000_000,
  records: 1_000_000,
  columns: 256,
  /** Letters of a record; what is longer is not a row of a list but an open quote. */
  recordLength: 65_536,
  /** Files in a workbook. */
  entries: 200,
  /** Cells of a sheet from its first to its last one, the empty ones between them included. */
  cells: 5_000_000,
} as const
