import { createRoute, z } from "@hono/zod-openapi"
import { type Endpoint, endpoint, withBody } from "../../http/endpoint.ts"
import { json, repairedCount } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"
import { groupMailboxes } from "../../services/bulk/group-mailboxes.ts"

const MAX_DEDUP = 100_000
const emails = z.array(z.string().max(1_000)).min(1).max(MAX_DEDUP)
const dedup = withBody(
  endpoint(
    "key-optional",
    createRoute({
      method: "post",
      path: "/utils/dedup",
      operationId: "dedup",
      tags: ["bulk"],
      summary: "Remove duplicates",
      description:
        "Keeps one address for each mailbox. It ignores case, tags and dots where the provider does. Costs no credit and stores nothing.",
      request: {
        body: json(
          z.union([emails, z.object({ emails })]).openapi({ example: ["Alice.B+news@gmail.com", "aliceb@gmail.com"] }),
        ),
      },
      responses: {
        200: ok(
          z
            .object({
              original: z.int(),
              unique: z.int(),
              removed: z.int(),
              repaired: repairedCount(),
              emails: z.array(z.string()).openapi({ description: "The first of each mailbox, in the order given" }),
              groups: z
                .array(z.object({ canonical: z.string(), kept: z.string(), emails: z.array(z.string()) }))
                .openapi({ description: "Mailboxes with more than one address in the list" }),
            })
            .openapi("Dedup"),
        ),
      },
    }),
    async (c) => {
      await c.var.meter.authorize()
      const body = c.req.valid("json")
      const given = Array.isArray(body) ? body : body.emails
      const { groups, repaired } = await groupMailboxes(c.var.ctx, { caller: c.var.caller, emails: given })
      return c.json(
        {
          original: given.length,
          unique: groups.length,
          removed: given.length - groups.length,
          repaired,
          emails: groups.map(({ kept }) => kept),
          groups: groups
            .filter(({ members }) => members.length > 1)
            .map(({ canonical, kept, members }) => ({ canonical, kept, emails: [...members] })),
        },
        200,
      )
    },
  ),
  { maxBytes: 5_000_000 },
)

export const dedupEndpoints: Endpoint[] = [dedup]
