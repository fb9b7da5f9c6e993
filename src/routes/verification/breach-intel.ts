import { z } from "@hono/zod-openapi"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component } from "../../http/fields.ts"
import { mailbox } from "../../http/input-fields.ts"
import { findBreachIntel } from "../../services/verification/breaches.ts"

const endpoint = endpointsOf("verification")

const BreachIntel = component("BreachIntel", {
  email: z.string().openapi({ description: "The normalized address" }),
  breach_found: z
    .boolean()
    .nullable()
    .openapi({ description: "Null when the sources that answered cannot rule it out" }),
  breach_count: z.int().nullable().openapi({ description: "Breaches that have the address; null when unknown" }),
  sources: arrayOf({
    source: z.string().openapi({ description: "Name of the source", example: "Have I Been Pwned" }),
    kind: z
      .enum(["service", "imported"])
      .openapi({ description: "`service`: asked over the network. `imported`: stored in this service" }),
    answered: z.boolean().openapi({ description: "The source gave an answer" }),
    answered_at: z.iso.datetime().openapi({ description: "Time of the answer or of the attempt" }),
    from_cache: z.boolean().openapi({ description: "The answer was stored before this call" }),
    count: z
      .int()
      .nullable()
      .openapi({ description: "Breaches of this source that have the address; null without an answer" }),
    breaches: arrayOf({
      name: z.string().openapi({ description: "Name of the breach" }),
      breached_on: z
        .string()
        .nullable()
        .openapi({ description: "Day of the breach; null when unknown", example: "2024-05-31" }),
      exposed: z.array(z.string()).openapi({ description: "Kinds of data that it exposed" }),
    }).openapi({ description: "The breaches that have the address" }),
  }).openapi({ description: "Each source of breaches, with its answer" }),
  imported: arrayOf({
    name: z.string().openapi({ description: "Name of the breach" }),
    breached_on: z.string().nullable().openapi({ description: "Day of the breach; null when unknown" }),
    addresses: z.int().openapi({ description: "Addresses that it has" }),
    imported_at: z.iso.datetime().openapi({ description: "Time of the import" }),
  }).openapi({ description: "The breaches imported into this service; empty without the admin secret" }),
})

const verifyBreachIntel = endpoint("key-optional", "GET /verify/breach-intel", {
  operationId: "verifyBreachIntel",
  summary: "Search breaches",
  description:
    "Searches every configured breach source for the address. Costs one credit if a source was queried, and nothing for a stored answer. 503 when no source is configured.",
  query: z.object({ email: mailbox() }),
  answer: BreachIntel,
  problems: [400],
  async handle(c) {
    const { email, finding, answers, imported } = await findBreachIntel(c.var.ctx, c.var.meter, {
      ...c.req.valid("query"),
      caller: c.var.caller,
    })
    return {
      email,
      breach_found: finding?.found ?? null,
      breach_count: finding?.count ?? null,
      sources: answers.map(({ source, kind, breaches, isStored, answeredAt }) => ({
        source,
        kind,
        answered: breaches !== null,
        answered_at: iso(answeredAt),
        from_cache: isStored,
        count: breaches?.length ?? null,
        breaches: (breaches ?? []).map(({ name, breachedOn, exposed }) => ({
          name,
          breached_on: breachedOn,
          exposed: [...exposed],
        })),
      })),
      imported: imported.map(({ name, breachedOn, addresses, importedAt }) => ({
        name,
        breached_on: breachedOn,
        addresses,
        imported_at: iso(importedAt),
      })),
    } satisfies z.infer<typeof BreachIntel>
  },
})

export const breachEndpoints: Endpoint[] = [verifyBreachIntel]
