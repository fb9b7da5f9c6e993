import { z } from "@hono/zod-openapi"
import { parseAccept } from "hono/utils/accept"
import {
  chooseLanguage,
  FORM_ACTIONS,
  FORM_LANGUAGES,
  FORM_REASONS,
  type FormDecision,
  type FormLanguage,
  messageFor,
  suggestionLabel,
} from "../../domain/form/decision.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { component, email } from "../../http/fields.ts"
import { verifyForForm } from "../../services/form/verify-for-form.ts"

const endpoint = endpointsOf("verification")

/** An address of 254 octets with escapes, and a language. */
const MAX_BODY_BYTES = 4_096

const FormAnswer = component("FormAnswer", {
  action: z.enum(FORM_ACTIONS).openapi({
    description:
      "What the form does. `ok`: nothing. `fix`: offer the suggestion. `warn`: show the message. `block`: mail would not arrive, or not for long",
  }),
  reason: z.enum(FORM_REASONS).openapi({ description: "Why. `no_answer`: a lookup was too slow, which never blocks" }),
  message: z.string().nullable().openapi({ description: "For the visitor; null when the action is `ok`" }),
  suggestion: z.string().nullable().openapi({ description: "The address that was probably meant" }),
  suggestion_label: z.string().nullable().openapi({
    description: "For the button that takes the suggestion",
    example: "Did you mean alice@gmail.com?",
  }),
  lang: z.enum(FORM_LANGUAGES).openapi({ description: "The language of the message and the label" }),
})

const verifyForm = endpoint("publishable-key", "POST /form/verify", {
  operationId: "verifyForm",
  summary: "Check an address in a form",
  description:
    "Checks an address while a visitor fills in a form, with a publishable key. Only pages of the key's origins may call it. A browser sends no preflight when the key is in the query (`?api_key=mv_pk_…`) and the body has the type `text/plain`. The limits are a minute's requests of a visitor's network and the key's daily budget. No credit is used without `live_timeout_ms`.",
  json: z.object({
    email: email(),
    lang: z.string().max(35).nullish().openapi({
      description: "Language of the message (BCP 47); by default that of Accept-Language, else English",
      example: "de",
    }),
  }),
  answer: FormAnswer,
  body: { maxBytes: MAX_BODY_BYTES, acceptsText: true },
  async handle(c) {
    const { email, lang } = c.req.valid("json")
    const decision = await verifyForForm(c.var.ctx, c.var.meter, { email, caller: member(c), clientIp: clientIpOf(c) })
    const accepted = parseAccept(c.req.header("accept-language") ?? "").map(({ type }) => type)
    return presentForm(decision, chooseLanguage(lang ? [lang, ...accepted] : accepted))
  },
})

function presentForm({ action, reason, suggestion }: FormDecision, lang: FormLanguage): z.infer<typeof FormAnswer> {
  const message = messageFor(reason, lang)
  const label = suggestion === null ? null : suggestionLabel(suggestion, lang)
  return { action, reason, message, suggestion, suggestion_label: label, lang }
}

export const verifyFormEndpoints: Endpoint[] = [verifyForm]

export const FORM_ENDPOINTS: readonly Endpoint[] = [...verifyFormEndpoints]
