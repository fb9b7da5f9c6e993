import { createRoute, z } from "@hono/zod-openapi"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumberOr } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"

const amount = (description: string) => z.int().openapi({ description })
const FleetAnswers = z
  .object({
    from: z.iso.date().openapi({ description: "First day, UTC", example: "2026-11-20" }),
    to: z.iso.date().openapi({ description: "Today, UTC", example: "2026-11-26" }),
    answers: z
      .array(
        z.object({
          date: z.iso.date().openapi({ example: "2026-11-26" }),
          operator: z
            .string()
            .openapi({ example: "google", description: "A known mail operator; `other`: all unknown ones together" }),
          accepted: amount("The mail server accepted the recipient, or its mailbox is full"),
          refused: amount("The mail server said that there is no such mailbox, or that it is disabled"),
          deferred: amount("The mail server asked for a later retry, as with greylisting"),
          blocked: amount("The mail server refused our source address or sender"),
        }),
      )
      .openapi({ description: "By day and operator. A day without answers of an operator has no entry" }),
  })
  .openapi("FleetAnswers")

const answers = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/fleet/answers",
    operationId: "fleetAnswers",
    tags: ["fleet"],
    summary: "Get answers by mail operator",
    description:
      "Counts how mail operators answered the probes of all nodes, by day. One answer for each probed recipient, random ones of catch-all checks and canaries included. Failed connections and unclear replies are no answers. An instance of the service writes its counts with a probe, at most every ten seconds. They stay for 30 days.",
    request: {
      query: z.object({
        days: wholeNumberOr(7, { min: 1, max: 30, description: "Days up to today, such as 7 or 30" }),
      }),
    },
    responses: { 200: ok(FleetAnswers) },
  }),
  async (c) => {
    const now = c.var.ctx.clock.now()
    const from = dayOf(now - (c.req.valid("query").days - 1) * DAY_MS)
    const found = await c.var.ctx.store.fleetRecords.answersSince(from)
    return c.json({ from, to: dayOf(now), answers: found.map(({ day, ...rest }) => ({ date: day, ...rest })) }, 200)
  },
)

export const answerEndpoints: Endpoint[] = [answers]
