import { z } from "@hono/zod-openapi"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import { FINISH_WITHIN } from "../../domain/lists/job.ts"
import { sampleSize } from "../../domain/lists/sample-plan.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { invalidFields } from "../../http/errors.ts"
import { arrayOf, component, flag, wholeNumber } from "../../http/fields.ts"
import { webhookUrl } from "../../http/input-fields.ts"
import { readUpload, uploadContent } from "../../http/upload-body.ts"
import { previewList } from "../../services/lists/inspect-list.ts"
import type { FileFacts, TableFile } from "../../services/lists/read-table.ts"
import { uploadList } from "../../services/lists/upload-list.ts"
import { readWebhookUrl } from "../../services/webhooks/publish-event.ts"
import { presentProjection, presentSubmitted, SampleProjection, SubmittedJob } from "./present-job.ts"

const endpoint = endpointsOf("bulk")

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

function tableOptions({
  email_column,
  sheet,
  encoding,
}: z.infer<typeof TableOptions>): Omit<TableFile, "bytes" | "isText"> {
  return { column: email_column ?? null, sheet: sheet ?? null, encoding: encoding ?? null }
}

/** What was read of a file. */
const ReadFile = z.object({
  format: z.enum(["csv", "txt", "xlsx"]).openapi({ description: "Format of the file, by its content" }),
  encoding: z.string().nullable().openapi({ description: "Null for a workbook" }),
  delimiter: z.string().nullable().openapi({ description: "Null for a table of one column, and for a workbook" }),
  sheet: z.string().nullable().openapi({ description: "The sheet that was read; null for a text file" }),
  other_sheets: arrayOf({
    name: z.string().openapi({ description: "Name of the sheet" }),
    addresses: z.int().openapi({ description: "Well-formed addresses that it has" }),
    is_hidden: z.boolean().openapi({ description: "The workbook hides the sheet" }),
  }).openapi({
    description: "Other sheets with addresses in their first rows, which are not verified",
  }),
  email_column: z.string().openapi({ description: "Name of the column that was read, or `column_2` without one" }),
  other_address_columns: z.array(z.string()).openapi({
    description: "Further columns with addresses, which are not verified",
  }),
  skipped_rows: z.int().openapi({ description: "Titles and notes above the header" }),
  cells_with_several_addresses: z.int().openapi({ description: "Each of their addresses has a row of its own" }),
  unreadable_characters: z.int().openapi({
    description: "Characters that are damaged or of another encoding. The rows have U+FFFD instead",
  }),
})

function presentFile(facts: FileFacts): z.infer<typeof ReadFile> {
  const { format, encoding, delimiter, sheet } = facts
  return {
    format,
    encoding,
    delimiter,
    sheet,
    email_column: facts.emailColumn,
    other_sheets: facts.otherSheets.map(({ name, addresses, isHidden }) => ({ name, addresses, is_hidden: isHidden })),
    other_address_columns: [...facts.otherAddressColumns],
    skipped_rows: facts.skippedRows,
    cells_with_several_addresses: facts.splitCells,
    unreadable_characters: facts.unreadableCharacters,
  }
}

/** The file and the form around it. */
const MAX_BODY_BYTES = TABLE_LIMITS.bytes + 100_000

const UploadOptions = z.object({
  smtp: flag(true, "Probe the mail servers for the mailboxes"),
  deduplicate: flag(true, "Verify each mailbox once; the download has all rows"),
  webhook_url: webhookUrl().default(""),
  finish_within: wholeNumber({
    ...FINISH_WITHIN,
    description:
      "Seconds from submission until the job ends at the latest. Addresses still pending become unknown, free of charge",
  }).optional(),
  ...TableOptions.shape,
  sample: flag(false, "Verify only a small sample and project it to the whole list; creates no job"),
})

// Not extended: generators of clients stumble over a composed schema among alternatives.
const UploadedJob = component("UploadedJob", {
  ...SubmittedJob.shape,
  file: z
    .object({
      ...ReadFile.shape,
      rows: z.int().openapi({ description: "Rows below the header, one for each address of a cell" }),
      rows_without_address: z.int().openapi({ description: "Rows that are left out" }),
    })
    .openapi({ description: "How the file was read" }),
})

const FILE_SCHEMA = {
  type: "string" as const,
  format: "binary",
  description: "A CSV, an Excel workbook or a text file",
}
const FORM_SCHEMA = { type: "object" as const, required: ["file"], properties: { file: FILE_SCHEMA } }
const FILE_CONTENT = {
  "multipart/form-data": { schema: FORM_SCHEMA },
  "text/csv": { schema: { type: "string" as const }, example: "name,email\r\nAlice,alice@mailbox.test\r\n" },
  "text/plain": { schema: { type: "string" as const }, example: "alice@mailbox.test\nnobody@mailbox.test\n" },
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": { schema: FILE_SCHEMA },
}

const preview = endpoint("key", "POST /bulk/preview", {
  operationId: "previewList",
  summary: "Preview a file",
  description:
    "Reads a file as the upload does: its columns, its first rows and the highest cost. Nothing is stored, verified or charged.",
  query: TableOptions,
  content: FILE_CONTENT,
  answer: component("ListPreview", {
    file: ReadFile.openapi({ description: "How the file would be read" }),
    columns: z.array(z.string()).openapi({ description: "Names, or `column_2` for a column without a name" }),
    email_column: z.int().openapi({ description: "Number of the address column, from 1" }),
    has_header: z.boolean().openapi({ description: "The first row has names, not data" }),
    first_rows: z.array(z.array(z.string())).openapi({
      description: "The first five rows below the header; a cell is cut after 200 characters",
    }),
    rows: z.int().openapi({ description: "Rows below the header" }),
    addresses: z.int().openapi({ description: "Well-formed addresses, with duplicates" }),
    credits_at_most: z.int().openapi({
      description: "The most that the list can cost. Duplicates, stored results and unknown results are free",
    }),
    sample_credits_at_most: z.int().openapi({ description: "The most that `sample=true` can cost" }),
  }),
  body: { maxBytes: MAX_BODY_BYTES, isStreamed: true },
  async handle(c) {
    await c.var.meter.authorize()
    const { bytes, isText, fields } = await readUpload(c, MAX_BODY_BYTES)
    const given = TableOptions.safeParse({ ...c.req.query(), ...fields })
    if (!given.success) throw invalidFields(given.error, "query")
    const made = await previewList(c.var.ctx, member(c), { bytes, isText, ...tableOptions(given.data) })
    const { facts, columns, hasHeader: has_header, firstRows, rows, addresses } = made
    return {
      file: presentFile(facts),
      columns: [...columns],
      email_column: made.emailColumn + 1,
      has_header,
      first_rows: firstRows.map((row) => [...row]),
      rows,
      addresses,
      credits_at_most: addresses * CREDITS.verification,
      sample_credits_at_most: sampleSize(addresses) * CREDITS.verification,
    }
  },
})

const upload = endpoint("key", "POST /bulk/upload", {
  operationId: "uploadList",
  summary: "Upload a list",
  description:
    "Starts a job for a CSV, an Excel workbook or a text file of at most 20 MB. The download has the file's own columns next to the results. Costs one credit for each new result; stored, `unknown`, duplicate and malformed ones are free. `sample=true` verifies a part and projects the rest.",
  query: UploadOptions,
  content: FILE_CONTENT,
  answer: z.union([UploadedJob, SampleProjection]),
  body: {
    maxBytes: MAX_BODY_BYTES,
    isStreamed: true,
    contentOf: async (c) => uploadContent(c, await readUpload(c, MAX_BODY_BYTES)),
  },
  costs: true,
  async handle(c) {
    const caller = member(c)
    // Before the file is read, because parsing is most of the work.
    await c.var.meter.authorize()
    const uploaded = await readUpload(c, MAX_BODY_BYTES)
    const first = await c.var.claimContent?.(await uploadContent(c, uploaded))
    if (first) return first
    const { bytes, name: fileName, isText, fields } = uploaded
    const given = UploadOptions.safeParse({ ...c.req.query(), ...fields })
    if (!given.success) throw invalidFields(given.error, "query")
    const { webhook_url, finish_within: finishWithin = null, smtp, deduplicate, sample, ...table } = given.data
    const webhookUrl = (await readWebhookUrl(c.var.ctx, webhook_url)) || null
    const options = { smtp, deduplicate, webhookUrl, finishWithin, sample }
    const file = { bytes, isText, ...tableOptions(table) }
    const made = await uploadList(c.var.ctx, c.var.meter, { caller, file, fileName, options })
    if (made.kind === "sample") return presentProjection(made.projection)
    const { facts, rows, withoutAddress: rows_without_address } = made
    return { ...presentSubmitted(made), file: { ...presentFile(facts), rows, rows_without_address } }
  },
})

export const uploadEndpoints: Endpoint[] = [preview, upload]
