import { z } from "@hono/zod-openapi"
import type { AssessedCandidate } from "../../domain/finder/candidates.ts"
import { NO_FORMATS_REASONS } from "../../domain/finder/domain-formats.ts"
import { share } from "../../http/fields.ts"
import { round } from "../../http/round.ts"
import type { KnownFormats } from "../../services/finder/read-formats.ts"

export const FormatSource = z.enum(["learned", "prior"]).openapi({
  description: "learned: addresses of the domain show it. prior: no address is known, it is common among companies",
})

/** Returns where a domain's formats come from, null when it has none. */
export function sourceOf({ formats, sampleCount }: KnownFormats): z.infer<typeof FormatSource> | null {
  if (formats.length === 0) return null
  return sampleCount > 0 ? "learned" : "prior"
}

export const NoFormats = z.enum(NO_FORMATS_REASONS).nullable().openapi({
  description:
    "Why the domain has no formats, else null. free_provider, disposable, relay: its mailboxes do not belong to one company. no_such_domain, null_mx, no_mail_host: it accepts no mail",
})

/** What the confidence of a candidate depends on. */
export const Basis = z
  .object({
    format_share: share.openapi({ description: "Expected share of the domain's addresses in this format" }),
    name_commonness: z.number().openapi({
      description: "Share of people whose names give the same address in this format, an order of magnitude",
      example: 0.002,
    }),
    company_size: z.int().openapi({
      description:
        "People who have or had an address at the domain: the median of an estimate by known addresses and mail operator",
      example: 400,
    }),
    expected_namesakes: z.number().openapi({
      description: "(company_size - 1) × name_commonness: colleagues whose names give the same address",
      example: 0.798,
    }),
    exists: z.boolean().nullable().openapi({
      description:
        "Whether the mail server has this mailbox; null when unknown, as at a domain that accepts every address",
    }),
    has_gravatar: z.boolean().nullable().openapi({
      description: "Checked where no mailbox is confirmed, for the most likely addresses; else null",
    }),
  })
  .openapi("FinderBasis", {
    description: "The confidence weighs these facts by Bayes' rule over possible company sizes",
  })

export function presentBasis({ basis }: AssessedCandidate): z.infer<typeof Basis> {
  return {
    format_share: round(basis.formatShare),
    name_commonness: Number(basis.nameCommonness.toPrecision(2)),
    company_size: basis.companySize,
    expected_namesakes: Number(basis.expectedNamesakes.toPrecision(3)),
    exists: basis.exists,
    has_gravatar: basis.hasGravatar,
  }
}
