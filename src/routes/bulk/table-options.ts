import { z } from "@hono/zod-openapi"
import type { FileFacts, TableFile } from "../../services/bulk/read-table.ts"

/** What a caller may say about an uploaded table. */
export const TableOptions = z.object({
  email_column: z.string().max(200).optional().openapi({
    description: "Name or number (from 1) of the address column; detected when left out",
  }),
  sheet: z.string().max(200).optional().openapi({
    description: "Name or number (from 1) of a workbook's sheet; the one with most addresses when left out",
  }),
  encoding: z.string().max(40).optional().openapi({
    description:
      "Encoding of a text file, as browsers name it (`windows-1251`, `shift_jis`); UTF-8, UTF-16 and Windows-1252 are detected",
  }),
})

export function tableOptions({
  email_column,
  sheet,
  encoding,
}: z.infer<typeof TableOptions>): Omit<TableFile, "bytes" | "isText"> {
  return { column: email_column ?? null, sheet: sheet ?? null, encoding: encoding ?? null }
}

/** What was read of a file. */
export const ReadFile = z.object({
  format: z.enum(["csv", "txt", "xlsx"]),
  encoding: z.string().nullable().openapi({ description: "Null for a workbook" }),
  delimiter: z.string().nullable().openapi({ description: "Null for a table of one column, and for a workbook" }),
  sheet: z.string().nullable().openapi({ description: "The sheet that was read; null for a text file" }),
  other_sheets: z.array(z.object({ name: z.string(), addresses: z.int(), is_hidden: z.boolean() })).openapi({
    description: "Other sheets with addresses in their first rows, which are not verified",
  }),
  email_column: z.string(),
  other_address_columns: z.array(z.string()).openapi({
    description: "Further columns with addresses, which are not verified",
  }),
  skipped_rows: z.int().openapi({ description: "Titles and notes above the header" }),
  cells_with_several_addresses: z.int().openapi({ description: "Each of their addresses has a row of its own" }),
  unreadable_characters: z.int().openapi({
    description: "Characters that are damaged or of another encoding. The rows have U+FFFD instead",
  }),
})

export function presentFile(facts: FileFacts): z.infer<typeof ReadFile> {
  const { format, encoding, delimiter, sheet } = facts
  return {
    ...{ format, encoding, delimiter, sheet, email_column: facts.emailColumn },
    other_sheets: facts.otherSheets.map(({ name, addresses, isHidden }) => ({ name, addresses, is_hidden: isHidden })),
    other_address_columns: [...facts.otherAddressColumns],
    skipped_rows: facts.skippedRows,
    cells_with_several_addresses: facts.splitCells,
    unreadable_characters: facts.unreadableCharacters,
  }
}
