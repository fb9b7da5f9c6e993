import { z } from "@hono/zod-openapi"
import { shownEmail, shownText } from "../../domain/address/address-forms.ts"
import { repairsOf } from "../../domain/address/parse.ts"
import { mailHosts, shownAddress, syntaxValid } from "../../http/answer-fields.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component, email, repaired, share } from "../../http/fields.ts"
import { checkTypo, type DomainCheck, type TypoCheck } from "../../services/verification/quick-checks.ts"

const endpoint = endpointsOf("verification")

const DomainState = component("DomainState", {
  domain: z.string().openapi({ description: "The domain, in ASCII (IDNA)" }),
  takes_mail: z.boolean().nullable().openapi({ description: "Null when DNS did not answer" }),
  mx_records: mailHosts,
})

const Typo = component("Typo", {
  email: shownAddress,
  repaired: repaired(),
  syntax_valid: syntaxValid,
  has_typo: z.boolean().openapi({ description: "`did_you_mean` has a correction" }),
  did_you_mean: z.string().nullable().openapi({
    description: "The address that was probably meant; null when none is likely",
    example: "alice@gmail.com",
  }),
  suspicion: z
    .object({
      suggestion: z.string().openapi({ description: "The whole address after the correction" }),
      kind: z.string().openapi({ description: "What is mistyped", example: "domain" }),
      confidence: share.openapi({ description: "Not a calibrated probability" }),
      from: z.string().openapi({ description: "The part as it was typed" }),
      to: z.string().openapi({ description: "The part after the correction" }),
    })
    .nullable()
    .openapi({ description: "The likely typo by the text alone, even if the domain accepts mail" }),
  typed_domain: z
    .union([DomainState, z.null()])
    .openapi({ description: "The domain as typed; null when it was not resolved" }),
  suggested_domain: z
    .union([DomainState, z.null()])
    .openapi({ description: "The domain of the correction; null without one" }),
})

const verifyTypo = endpoint("key-optional", "GET /verify/typo", {
  operationId: "verifyTypo",
  summary: "Find a typo",
  description:
    "Compares the domain with well-known ones, and checks by DNS whether both take mail. Costs no credit. `did_you_mean` has the correction, and `suspicion` what the text alone suggests.",
  query: z.object({ email: email() }),
  answer: Typo,
  handle: async (c) => presentTypo(await checkTypo(c.var.ctx, c.var.meter, c.req.valid("query"))),
})

function presentTypo({ address, didYouMean, explanation, typed, suggested }: TypoCheck): z.infer<typeof Typo> {
  return {
    email: shownEmail(address),
    repaired: repairsOf(address),
    syntax_valid: address.ok,
    has_typo: didYouMean !== null,
    did_you_mean: didYouMean,
    suspicion: explanation && {
      suggestion: explanation.suggestion,
      kind: explanation.kind,
      confidence: explanation.confidence,
      from: shownText(explanation.from),
      to: explanation.to,
    },
    typed_domain: presentDomain(typed),
    suggested_domain: presentDomain(suggested),
  }
}

function presentDomain(check: DomainCheck | null): z.infer<typeof DomainState> | null {
  return check && { domain: check.domain, takes_mail: check.acceptsMail, mx_records: [...check.mxHosts] }
}

export const typoEndpoints: Endpoint[] = [verifyTypo]
