import { z } from "@hono/zod-openapi"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component } from "../../http/fields.ts"
import { mailbox } from "../../http/input-fields.ts"
import { findBreachIntel } from "../../services/verification/breaches.ts"

const endpoint = endpointsOf("verification")

const BreachIntel = component("BreachIntel", {
  email: z.string(),
  breach_found: z
    .boolean()
    .nullable()
    .openapi({ description: "Null when the sources that answered cannot rule it out" }),
  breach_count: z.int().nullable(),
  sources: arrayOf({
    source: z.string().openapi({ example: "Have I Been Pwned" }),
    kind: z.enum(["service", "imported"]),
    answered: z.boolean(),
    answered_at: z.iso.datetime(),
    from_cache: z.boolean(),
    count: z.int().nullable(),
    breaches: arrayOf({
      name: z.string(),
      breached_on: z.string().nullable().openapi({ example: "2024-05-31" }),
      exposed: z.array(z.string()),
    }),
  }),
  imported: arrayOf({
    name: z.string(),
    breached_on: z.string().nullable(),
    addresses: z.int(),
    imported_at: z.iso.datetime(),
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
