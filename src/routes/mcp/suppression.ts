import { z } from "zod"
import { SUPPRESSION_REASONS } from "../../../schema/vocabulary.ts"
import { Added, SuppressionEntry } from "../suppression/present-suppression.ts"
import { READS_ACCOUNT, type ToolAnswer, time, tool } from "./tool.ts"
import { emailInput } from "./verify-email.ts"

const Suppressed = z.object({
  change: Added.shape.change,
  email: z.string().nullable(),
  domain: z.string().nullable(),
  reason: z.enum(SUPPRESSION_REASONS).describe("Of the entry that is active now"),
  expires_at: time.nullable().describe("Null when permanent"),
})

export function presentSuppressed(added: z.output<typeof Added>): ToolAnswer<z.input<typeof Suppressed>> {
  const { email, domain, reason, expires_at } = added.entry
  return { answer: { change: added.change, email, domain, reason, expires_at }, text: `${added.message}.` }
}

export const suppress = tool({
  name: "suppress",
  title: "Suppress an address or a domain",
  description:
    "Adds an email address, or every address of a domain, to the account's suppression list, so that it counts as never to be sent to. " +
    "Use it when a person unsubscribes or complains, or when the user asks for it. Give either email or domain. " +
    "It never weakens an entry. This server cannot remove an entry; the user can in the console. Free.",
  input: z
    .object({
      email: emailInput.optional(),
      domain: z.string().min(1).optional().describe("Instead of email: every address of this domain"),
      reason: z.enum(SUPPRESSION_REASONS).optional().describe("manual when left out"),
      expires_in_days: z.int().min(1).max(3_650).optional().describe("Permanent when left out"),
    })
    .refine(({ email, domain }) => email !== undefined || domain !== undefined, "give email or domain"),
  output: Suppressed,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async (api, input) =>
    presentSuppressed(await api.call("POST", "/suppression/add", { reason: "manual", source: "mcp", ...input })),
})

const Checked = z.object({
  email: z.string(),
  is_suppressed: z.boolean(),
  reason: z.enum(SUPPRESSION_REASONS).nullable(),
  domain: z.string().nullable().describe("The domain whose entry suppresses the address; null for its own entry"),
  list: SuppressionEntry.shape.list.describe("account: the user's own list. operator: the service's"),
  expires_at: time.nullable().describe("Null when permanent or not suppressed"),
})

export function presentChecked(found: z.output<typeof SuppressionEntry>): ToolAnswer<z.input<typeof Checked>> {
  const { email, is_suppressed, reason, domain, list, expires_at } = found
  const until = expires_at === null ? "permanently" : `until ${expires_at}`
  const by = domain === null ? "" : `, with its whole domain ${domain}`
  const why = is_suppressed ? `suppressed by the ${list}'s list${by} (${reason}), ${until}` : "not suppressed"
  return { answer: { email, is_suppressed, reason, domain, list, expires_at }, text: `${email}: ${why}.` }
}

export const checkSuppression = tool({
  name: "check_suppression",
  title: "Check the suppression list",
  description:
    "Says whether an address is on the suppression list, why and until when. verify_email already includes the list in can_send. Free.",
  input: z.object({ email: emailInput }),
  output: Checked,
  hints: READS_ACCOUNT,
  run: async (api, { email }) =>
    presentChecked(await api.call("GET", `/suppression/check?${new URLSearchParams({ email })}`)),
})
