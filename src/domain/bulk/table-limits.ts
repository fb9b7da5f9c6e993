/** Limits of an uploaded table. A longer list needs /validate/bulk/async, which reads a stream. */
export const TABLE_LIMITS = {
  /** Size of the file, and of an unpacked workbook. */
  bytes: 20_000_000,
  records: 1_000_000,
  columns: 256,
  /** Length of a record in characters. A note may be long; a longer record has an unclosed quote. */
  recordLength: 1_000_000,
  /** Files in the archive of a workbook: each picture is one. Those that are not read are only listed. */
  entries: 10_000,
  /** Sheets of a workbook whose first rows are compared. */
  sheets: 200,
  /**
   * Unpacked bytes for each packed byte of a workbook. Workbooks of Excel, openpyxl and XlsxWriter, also with 60,000
   * empty formatted rows, unpack to 7 to 17 times their size. DEFLATE reaches 1,032.
   */
  ratio: 150,
  /** Unpacked bytes that may exceed the ratio: small files repeat little else than tags. */
  anyRatioBytes: 1_000_000,
  /** Rows of a sheet without a value. Formats leave some ten thousands of them below a list. */
  emptyRows: 100_000,
  /** Cells of a sheet without a value. As Excel writes them, they take 16 bytes or more: 20 MB hold fewer. */
  emptyCells: 1_200_000,
  /** Cells of a sheet up to the last value of each row, including empty cells between them. */
  cells: 5_000_000,
  /** Shared strings of a workbook. Each takes 17 bytes or more: 20 MB hold fewer. */
  strings: 1_200_000,
  /** Characters of all cells. A short workbook may repeat a long text in each row. */
  characters: 40_000_000,
  /** Characters of one tag, text or comment in a workbook, and of one row. A cell of Excel has at most 32,767. */
  token: 262_144,
  /** Elements of a workbook inside each other. The format needs fewer than 20. */
  depth: 100,
} as const
