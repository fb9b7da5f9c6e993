/** Limits of an uploaded table. A longer list needs /validate/bulk/async, which reads a stream. */
export const TABLE_LIMITS = {
  /** Size of the file, and of an unpacked workbook. */
  bytes: 20_000_000,
  records: 1_000_000,
  columns: 256,
  /** Length of a record in characters. A longer record has an unclosed quote. */
  recordLength: 65_536,
  /** Files in a workbook. */
  entries: 200,
  /** Cells of a sheet from the first to the last, including empty cells between them. */
  cells: 5_000_000,
  /** Characters of one tag, text or comment in a workbook, and of one row. A cell of Excel has at most 32,767. */
  token: 262_144,
  /** Elements of a workbook inside each other. The format needs fewer than 20. */
  depth: 100,
} as const
