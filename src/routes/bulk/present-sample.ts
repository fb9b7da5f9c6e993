import { z } from "@hono/zod-openapi"
import { STATUSES } from "../../../schema/vocabulary.ts"
import { share } from "../../http/fields.ts"
import type { SampleProjection as Projection } from "../../services/bulk/sample-list.ts"

export const SampleProjection = z
  .object({
    status: z.literal("sampled"),
    total: z.int(),
    sampled: z.int(),
    confidence: z.literal(0.95),
    projection: z.array(z.object({ status: z.enum(STATUSES), share, low: share, high: share, expected: z.int() })),
    operators: z.array(z.object({ operator: z.string(), total: z.int(), sampled: z.int() })),
  })
  .openapi("SampleProjection", { description: "Projection of a stratified sample to the whole list" })

export function presentProjection({ total, sampled, shares, strata }: Projection): z.infer<typeof SampleProjection> {
  const projection = shares.map((one) => ({ ...one, expected: Math.round(one.share * total) }))
  const operators = strata.map(({ operator, total, sampled }) => ({ operator, total, sampled }))
  return { status: "sampled", total, sampled, confidence: 0.95, projection, operators }
}
