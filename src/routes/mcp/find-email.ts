import { z } from "zod"
import { FoundEmailAnswer } from "../finder/find-email.ts"
import { READS_INTERNET, type ToolAnswer, tool } from "./tool.ts"

const MAX_CANDIDATES = 5
const { shape } = FoundEmailAnswer

const Found = z.object({
  best_email: z.string().nullable().describe("Null when no candidate may exist"),
  confidence: shape.best_confidence.describe("Probability that it is this person's own address, 0 to 1"),
  outcome: shape.outcome.describe(
    "verified: the mailbox exists. likely: unconfirmed, in the domain's known format. guess: neither. not_found: the server rejects every candidate. no_mail: the domain accepts no mail",
  ),
  is_catch_all: z.boolean().nullable().describe("The domain accepts every address, so none can be confirmed"),
  candidates: z
    .array(z.object({ email: z.string(), confidence: shape.best_confidence, verified: z.boolean() }))
    .describe(`The best ${MAX_CANDIDATES}`),
  credits_used: z.int(),
})

type Answer = z.output<typeof FoundEmailAnswer>

const OUTCOMES: Readonly<Record<Answer["outcome"], string>> = {
  verified: "the mail server confirms the mailbox",
  likely: "it cannot be confirmed, but other addresses of the domain have its format",
  guess: "it cannot be confirmed; do not send to it without another proof",
  not_found: "the mail server rejects every candidate",
  no_mail: "the domain accepts no mail",
}

/** The best address with its confidence. */
export function presentFoundEmail(found: Answer): ToolAnswer<z.input<typeof Found>> {
  const { best_email, best_confidence: confidence, outcome, is_catch_all, credits_used } = found
  const candidates = found.candidates
    .slice(0, MAX_CANDIDATES)
    .map(({ email, confidence, verified }) => ({ email, confidence, verified }))
  const isOpen = outcome === "likely" || outcome === "guess"
  const others = isOpen ? candidates.slice(1).map((other) => `${other.email} (${percentOf(other.confidence)})`) : []
  const best = best_email === null ? "No address found" : `${best_email} (probability ${percentOf(confidence)})`
  return {
    answer: { best_email, confidence, outcome, is_catch_all, candidates, credits_used },
    text: [
      `${best}: ${OUTCOMES[outcome]}.`,
      ...(is_catch_all ? ["The domain accepts every address."] : []),
      ...(others.length > 0 ? [`Other candidates: ${others.join(", ")}.`] : []),
      `Credits used: ${credits_used}.`,
    ].join(" "),
  }
}

const percentOf = (share: number) => `${Math.round(share * 100)} %`

export const findEmail = tool({
  name: "find_email",
  title: "Find a person's email address",
  description:
    "Finds the work email address of a named person at a company's domain, and verifies it. " +
    "Use it only for people whom the user has a reason to write to. Costs 5 credits for an outcome of verified or likely, else nothing.",
  input: z.object({
    first_name: z.string().min(1).describe("Given names, in any script"),
    last_name: z.string().min(1).describe("Family names, in any script"),
    domain: z.string().min(1).describe("The company's domain, such as example.com"),
  }),
  output: Found,
  hints: { ...READS_INTERNET, readOnlyHint: false },
  run: async (api, person) => presentFoundEmail(await api.call("POST", "/find-email", person)),
})
