import { createRoute, z } from "@hono/zod-openapi"
import { FINISH_WITHIN } from "../../domain/bulk/finish-within.ts"
import { TABLE_LIMITS } from "../../domain/bulk/table-limits.ts"
import { type Endpoint, endpoint, withBody, withCosts } from "../../http/endpoint.ts"
import { invalidFields } from "../../http/errors.ts"
import { flag, wholeNumber } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok } from "../../http/responses.ts"
import { readUpload } from "../../http/upload-body.ts"
import { uploadList } from "../../services/bulk/upload-list.ts"
import { readWebhookUrl } from "../../services/webhooks/read-webhook-url.ts"
import { presentSubmitted, SubmittedJob } from "./present-job.ts"

/** The file and the form around it. */
const MAX_BODY_BYTES = TABLE_LIMITS.bytes + 100_000

const UploadOptions = z.object({
  smtp: flag(true, "Probe the mail servers for the mailboxes"),
  deduplicate: flag(true, "Verify each mailbox once; the download has all rows"),
  webhook_url: z.string().max(2_000).default("").openapi({ description: "URL that is called when the job is over" }),
  finish_within: wholeNumber({
    ...FINISH_WITHIN,
    description:
      "Seconds from submission until the job ends at the latest. Addresses still pending become unknown, free of charge",
  }).optional(),
  email_column: z.string().max(200).optional().openapi({
    description: "Name or number (from 1) of the address column; detected when left out",
  }),
})

const UploadedJob = SubmittedJob.extend({
  file: z.object({
    format: z.enum(["csv", "txt", "xlsx"]),
    encoding: z.string().nullable(),
    delimiter: z.string().nullable(),
    email_column: z.string(),
    rows: z.int(),
    rows_without_address: z.int(),
  }),
}).openapi("UploadedJob")

const FILE_SCHEMA = { type: "string", format: "binary" } as const
const upload = withBody(
  endpoint(
    "key",
    createRoute({
      method: "post",
      path: "/bulk/upload",
      operationId: "uploadList",
      tags: ["bulk"],
      summary: "Verify a list from a file: CSV, Excel (.xlsx) or text with one address per line",
      request: {
        query: UploadOptions,
        body: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: { type: "object", required: ["file"], properties: { file: FILE_SCHEMA } },
            },
            "text/csv": { schema: { type: "string" }, example: "name,email\r\nAlice,alice@mailbox.test\r\n" },
            "text/plain": { schema: { type: "string" }, example: "alice@mailbox.test\nnobody@mailbox.test\n" },
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": { schema: FILE_SCHEMA },
          },
        },
      },
      responses: { 200: ok(UploadedJob) },
    }),
    async (c) => {
      const caller = member(c)
      // Before the file is read, because parsing is most of the work.
      await c.var.meter.authorize()
      const { bytes, name: fileName, isText, fields } = await readUpload(c, MAX_BODY_BYTES)
      const given = UploadOptions.safeParse({ ...c.req.query(), ...fields })
      if (!given.success) throw invalidFields(given.error, "query")
      const {
        webhook_url,
        email_column: column = null,
        finish_within: finishWithin = null,
        smtp,
        deduplicate,
      } = given.data
      const webhookUrl = (await readWebhookUrl(c.var.ctx, webhook_url)) || null
      const options = { smtp, deduplicate, webhookUrl, finishWithin }
      const made = await uploadList(c.var.ctx, c.var.meter, { caller, bytes, fileName, isText, column, options })
      const { format, encoding, delimiter } = made.table
      const { rows, emailColumn: email_column, withoutAddress: rows_without_address } = made
      const file = { format, encoding, delimiter, email_column, rows, rows_without_address }
      return c.json({ ...presentSubmitted(made), file }, 200)
    },
  ),
  { maxBytes: MAX_BODY_BYTES, isStreamed: true },
)

export const uploadEndpoints: Endpoint[] = [withCosts(upload)]
