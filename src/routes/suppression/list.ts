import { createRoute, z } from "@hono/zod-openapi"
import { SUPPRESSION_REASONS } from "../../../schema/vocabulary.ts"
import { parseSuppressedDomain, type Suppressed } from "../../domain/suppression/suppression.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumberOr } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormed } from "../../http/well-formed.ts"
import { listSuppressions } from "../../services/suppression/list-suppressions.ts"
import { Entry, presentListed } from "./present-suppression.ts"
import { listOf } from "./suppression.ts"

const moment = (description: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })])
    .transform((text) => Date.parse(text))
    .optional()
    .openapi({ type: "string", description, example: "2026-11-01" })

const Page = z
  .object({
    suppressions: z.array(Entry),
    total: z.int().min(0).openapi({ description: "Entries on all pages, counted up to 1,000,000" }),
    limit: z.int(),
    next_cursor: z.string().nullable().openapi({ description: "Null on the last page" }),
  })
  .openapi("SuppressionPage")

const list = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/suppression",
    operationId: "listSuppressions",
    tags: ["suppression"],
    summary: "List the entries",
    description:
      "Returns the entries, newest first. `search` takes a whole address, or `@` and a domain, because addresses are found by their hashes.",
    request: {
      query: z.object({
        search: z.string().trim().max(1_000).optional().openapi({
          description:
            "An address for its entry, or `@` and a domain for the entry of the whole domain. Addresses are stored as hashes, so a part of one finds nothing",
          example: "@mailbox.test",
        }),
        reason: z.enum(SUPPRESSION_REASONS).optional(),
        from: moment("Added at this time or later. A date begins at midnight UTC"),
        to: moment("Added before this time. A date begins at midnight UTC"),
        limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Entries per page" }),
        cursor: z
          .string()
          .regex(/^\d{1,15}\.\d{1,15}$/)
          .optional()
          .openapi({ description: "next_cursor of the previous page" }),
      }),
    },
    responses: { 200: ok(Page), ...problem(400) },
  }),
  async (c) => {
    const { search, reason = null, from = null, to = null, limit, cursor } = c.req.valid("query")
    await c.var.meter.authorize()
    const [createdAt, row] = cursor?.split(".").map(Number) ?? []
    const { entries, total, next } = await listSuppressions(c.var.ctx, listOf(c), {
      search: search ? readSearch(search) : null,
      ...{ reason, from, to, limit },
      before: createdAt === undefined || row === undefined ? null : { createdAt, row },
    })
    const next_cursor = next && `${next.createdAt}.${next.row}`
    return c.json({ suppressions: entries.map(presentListed), total, limit, next_cursor }, 200)
  },
)

function readSearch(text: string): Suppressed {
  if (!text.startsWith("@") && !text.startsWith("*@")) return { address: wellFormed(text, "search") }
  const parsed = parseSuppressedDomain(text)
  if (!parsed.ok) throw new AppError("bad_request", `search: ${parsed.message}`)
  return { wholeDomain: parsed.domain }
}

export const suppressionListEndpoints: Endpoint[] = [list]
