import { createRoute, z } from "@hono/zod-openapi"
import { SUPPRESSION_REASONS } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { csvLine } from "../../domain/tables/csv-line.ts"
import { findEncoding } from "../../domain/tables/encoding.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpoint, withBody } from "../../http/endpoint.ts"
import { invalidFields } from "../../http/errors.ts"
import { iso } from "../../http/present/iso.ts"
import { readBytes } from "../../http/raw-body.ts"
import { ok, problem } from "../../http/responses.ts"
import { begun, textStream } from "../../http/streams.ts"
import { exportSuppressions } from "../../services/suppression/export-suppressions.ts"
import { importSuppressions, MAX_IMPORT_ROWS } from "../../services/suppression/import-suppressions.ts"
import { listOf } from "./suppression.ts"

const MAX_BODY_BYTES = 1_000_000
const COLUMNS = ["email", "reason", "source", "suppressed_at", "expires_at"]

const ImportOptions = z.object({
  reason: z.enum(SUPPRESSION_REASONS).default("manual").openapi({ description: "For rows that name none" }),
  source: z.string().trim().max(200).default("import").openapi({ description: "For rows that name none" }),
})

const ImportAnswer = z
  .object({
    status: z.literal("imported"),
    added: z.int(),
    rejected: z.array(z.object({ row: z.int(), reason: z.string() })),
    message: z.string(),
  })
  .openapi("SuppressionImport")

const importList = withBody(
  endpoint(
    "key-or-admin",
    createRoute({
      method: "post",
      path: "/suppression/import",
      operationId: "importSuppressions",
      tags: ["suppression"],
      summary: "Put the addresses of a CSV on the suppression list",
      description: `A column of addresses; with a header also reason, source and expires_in_days or expires_at. Up to ${MAX_IMPORT_ROWS} rows.`,
      request: {
        query: ImportOptions,
        body: {
          required: true,
          content: {
            "text/csv": { schema: z.string().openapi({ example: "email,reason\nalice@mailbox.test,unsubscribe\n" }) },
          },
        },
      },
      responses: { 200: ok(ImportAnswer), ...problem(400) },
    }),
    async (c) => {
      const parsed = ImportOptions.safeParse(c.req.query())
      if (!parsed.success) throw invalidFields(parsed.error, "query")
      const options = parsed.data
      if (c.req.header("content-type")?.toLowerCase().startsWith("multipart/"))
        throw new AppError("unsupported_media_type", "send the CSV itself as the body, not a form around it")
      await c.var.deps.meter.admit()
      const bytes = await readBytes(c, MAX_BODY_BYTES)
      const text = new TextDecoder(findEncoding(bytes).encoding).decode(bytes)
      const defaults = { reason: options.reason, source: options.source || null }
      const { added, rejected } = await importSuppressions(c.var.deps, { list: listOf(c), text, defaults })
      const message = `${added} addresses are suppressed; ${rejected.length} rows were left out`
      const answer: z.infer<typeof ImportAnswer> = { status: "imported", added, rejected: [...rejected], message }
      return c.json(answer, 200)
    },
  ),
  { maxBytes: MAX_BODY_BYTES, isStreamed: true },
)

const exportList = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/suppression/export",
    operationId: "exportSuppressions",
    tags: ["suppression"],
    summary: "The suppression list as CSV",
    responses: {
      200: {
        description: "The list",
        content: {
          "text/csv": { schema: z.string().openapi({ example: "email,reason\nalice@mailbox.test,unsubscribe\n" }) },
        },
      },
    },
  }),
  async (c) => {
    await c.var.deps.meter.admit()
    const headers = {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="suppressions.csv"',
    }
    return c.body(textStream(await begun(lines(c.var.deps, listOf(c)))), 200, headers) as never
  },
)

async function* lines(deps: Pick<Deps, "suppressions" | "clock">, list: string): AsyncGenerator<string> {
  let head = csvLine(COLUMNS)
  for await (const page of exportSuppressions(deps, list)) {
    const rows = page.map(({ address, reason, source, createdAt, expiresAt }) =>
      csvLine([address, reason, source, iso(createdAt), iso(expiresAt)]),
    )
    yield head + rows.join("")
    head = ""
  }
}

export const suppressionTransferEndpoints: Endpoint[] = [importList, exportList]
