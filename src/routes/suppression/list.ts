import { z } from "@hono/zod-openapi"
import { SUPPRESSION_REASONS } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { counted } from "../../domain/counted.ts"
import { csvLine } from "../../domain/lists/download.ts"
import { domainOfName, parseSuppressedDomain, type Suppressed } from "../../domain/suppression/suppression.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { invalidFields } from "../../http/errors.ts"
import { arrayOf, component, repairedCount, textCursor, wellFormed, wholeNumberOr } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { readBytes } from "../../http/request-body.ts"
import { hasBegun, textStream } from "../../http/streams.ts"
import { importSuppressions, MAX_IMPORT_ROWS } from "../../services/suppression/import-suppressions.ts"
import { exportSuppressions, listSuppressions } from "../../services/suppression/suppression-list.ts"
import { TableOptions } from "../lists/upload.ts"
import { Entry, presentListed } from "./present-suppression.ts"
import { listOf, suppressionEndpoints } from "./suppression.ts"

const endpoint = endpointsOf("suppression")

/** A date, or a date and a time, in a query. The handler gets milliseconds since 1970. */
export const moment = (description: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })])
    .transform((text) => Date.parse(text))
    .optional()
    .openapi({ type: "string", pattern: PATTERNS.moment, description, example: "2026-11-01" })

const list = endpoint("key-or-admin", "GET /suppression", {
  operationId: "listSuppressions",
  summary: "List the entries",
  description:
    "Returns the entries, newest first. `search` takes a whole address, or `@` and a domain, because addresses are found by their hashes.",
  query: z.object({
    search: z.string().trim().max(1_000).optional().openapi({
      description:
        "An address for its entry, or `@` and a domain for the entry of the whole domain. Addresses are stored as hashes, so a part of one finds nothing",
      example: "@mailbox.test",
    }),
    reason: z.enum(SUPPRESSION_REASONS).optional().openapi({ description: "Only entries with this reason" }),
    from: moment("Added at this time or later. A date begins at midnight UTC"),
    to: moment("Added before this time. A date begins at midnight UTC"),
    limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Entries per page" }),
    cursor: textCursor(/^\d{1,15}\.\d{1,15}$/),
  }),
  answer: component("SuppressionPage", {
    suppressions: z.array(Entry),
    total: z.int().min(0).openapi({ description: "Entries on all pages, counted up to 1,000,000" }),
    limit: z.int(),
    next_cursor: z.string().nullable().openapi({ description: "Null on the last page" }),
  }),
  problems: [400],
  async handle(c) {
    const { search, reason = null, from = null, to = null, limit, cursor } = c.req.valid("query")
    await c.var.meter.authorize()
    const [createdAt, row] = cursor?.split(".").map(Number) ?? []
    const { entries, total, next } = await listSuppressions(c.var.ctx, listOf(c), {
      search: search ? readSearch(search) : null,
      reason,
      from,
      to,
      limit,
      before: createdAt === undefined || row === undefined ? null : { createdAt, row },
    })
    const next_cursor = next && `${next.createdAt}.${next.row}`
    return { suppressions: entries.map(presentListed), total, limit, next_cursor }
  },
})

function readSearch(text: string): Suppressed {
  if (!text.startsWith("@") && !text.startsWith("*@")) return { address: wellFormed(text, "search") }
  const parsed = parseSuppressedDomain(text)
  if (!parsed.ok) throw new AppError("bad_request", `search: ${parsed.message}`)
  return { wholeDomain: parsed.domain }
}

export const suppressionListEndpoints: Endpoint[] = [list]

const MAX_BODY_BYTES = 1_000_000
const COLUMNS = ["email", "reason", "source", "suppressed_at", "expires_at", "domain", "note"]

const ImportOptions = z.object({
  reason: z.enum(SUPPRESSION_REASONS).default("manual").openapi({
    description: "For rows without one, or with words that have no known meaning",
  }),
  source: z.string().trim().max(200).default("import").openapi({ description: "For rows without one" }),
  ...TableOptions.pick({ email_column: true, encoding: true }).shape,
})

const ImportAnswer = component("SuppressionImport", {
  status: z.literal("imported"),
  added: z.int().openapi({ description: "New entries" }),
  updated: z.int().openapi({ description: "Entries that got a graver reason, a later end or another source" }),
  kept: z.int().openapi({ description: "Entries that stay as they were, because they were at least as strong" }),
  duplicates: z.int().openapi({ description: "Rows whose address or domain came before in the table" }),
  repaired: repairedCount(),
  unknown_reasons: arrayOf({ reason: z.string(), rows: z.int() }).openapi({
    description:
      "Words about a reason that have no known meaning, the most frequent first. Their rows are entries with the reason that the column's title names, else the default one. The words are the entries' notes",
    example: [],
  }),
  rejected: arrayOf({ row: z.int(), reason: z.string() }).openapi({
    description: "Rows that changed nothing, counted from 1 with the header",
  }),
  email_column: z.string().nullable().openapi({ description: "Null in a table of domains" }),
  other_address_columns: z.array(z.string()).openapi({ description: "Not imported" }),
  skipped_rows: z.int().openapi({ description: "Titles and notes above the header" }),
  unreadable_characters: z.int(),
  message: z.string(),
})

const importList = endpoint("key-or-admin", "POST /suppression/import", {
  operationId: "importSuppressions",
  summary: "Import a CSV",
  description: `Adds the addresses and domains of a CSV. \`rejected\` names each bad row with its reason, and the others are still imported. Needs a column of addresses, or a header with domain. Reads reasons, notes and dates of the exports of other mail providers by their column names. \`unknown_reasons\` lists words without a known meaning. A row has an address, or *@example.com in the column domain for every address of the domain. Up to ${MAX_IMPORT_ROWS} rows.`,
  query: ImportOptions,
  content: {
    "text/csv": { schema: z.string().openapi({ example: "email,reason\nalice@mailbox.test,unsubscribe\n" }) },
    // Generators of clients omit an operation whose only type is text/csv.
    "application/octet-stream": { schema: { type: "string", format: "binary" } },
  },
  answer: ImportAnswer,
  problems: [400],
  body: { maxBytes: MAX_BODY_BYTES, isStreamed: true },
  async handle(c) {
    const parsed = ImportOptions.safeParse(c.req.query())
    if (!parsed.success) throw invalidFields(parsed.error, "query")
    const options = parsed.data
    if (c.req.header("content-type")?.toLowerCase().startsWith("multipart/"))
      throw new AppError("unsupported_media_type", "send the CSV as the request body, without a form")
    await c.var.meter.authorize()
    const bytes = await readBytes(c, MAX_BODY_BYTES)
    const defaults = { reason: options.reason, source: options.source || null }
    const { rejected, unknownReasons, emailColumn, otherAddressColumns, skippedRows, unreadableCharacters, ...counts } =
      await importSuppressions(c.var.ctx, {
        caller: c.var.caller,
        list: listOf(c),
        bytes,
        defaults,
        column: options.email_column ?? null,
        encoding: options.encoding ?? null,
      })
    const { unchanged: kept, ...given } = counts
    const { added, updated, duplicates } = given
    const unknown_reasons = [...unknownReasons]
      .map(([reason, rows]) => ({ reason, rows }))
      .toSorted((a, b) => b.rows - a.rows)
    const unknown = unknown_reasons.length > 0 ? [`${counted(unknown_reasons.length, "unknown reason")}`] : []
    const left = [counted(duplicates, "duplicate"), `${rejected.length} rejected`, ...unknown]
    const message = [`${added} added`, `${updated} updated`, `${kept} kept`, ...left].join(", ")
    return {
      status: "imported",
      ...given,
      kept,
      unknown_reasons,
      rejected: [...rejected],
      email_column: emailColumn,
      other_address_columns: [...otherAddressColumns],
      skipped_rows: skippedRows,
      unreadable_characters: unreadableCharacters,
      message,
    } satisfies z.infer<typeof ImportAnswer>
  },
})

const exportList = endpoint("key-or-admin", "GET /suppression/export", {
  operationId: "exportSuppressions",
  summary: "Export a CSV",
  description:
    "Returns the whole list as CSV, in the form that the import reads. A whole domain is `*@example.com` in the column `domain`.",
  responses: {
    200: {
      description: "The list",
      content: {
        "text/csv": { schema: z.string().openapi({ example: "email,reason\nalice@mailbox.test,unsubscribe\n" }) },
        // Generators of clients omit an operation whose only type is text/csv.
        "application/octet-stream": { schema: { type: "string", format: "binary" } },
      },
    },
  },
  async handle(c) {
    await c.var.meter.authorize()
    const headers = {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="suppressions.csv"',
    }
    return c.body(textStream(await hasBegun(lines(c.var.ctx, listOf(c)))), 200, headers)
  },
})

async function* lines(ctx: Context, list: string): AsyncGenerator<string> {
  let head = csvLine(COLUMNS)
  for await (const page of exportSuppressions(ctx, list)) {
    const rows = page.map(({ address: name, reason, source, note, createdAt, expiresAt }) => {
      const domain = domainOfName(name)
      const [email, all] = domain === null ? [name, null] : [null, `*@${domain}`]
      return csvLine([email, reason, source, iso(createdAt), iso(expiresAt), all, note])
    })
    yield head + rows.join("")
    head = ""
  }
}

export const suppressionTransferEndpoints: Endpoint[] = [importList, exportList]

export const SUPPRESSION_ENDPOINTS: readonly Endpoint[] = [
  ...suppressionListEndpoints,
  ...suppressionEndpoints,
  ...suppressionTransferEndpoints,
]
