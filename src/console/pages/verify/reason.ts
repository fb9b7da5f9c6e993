import type { Deliverability } from "../../api/shapes.ts"
import { SUB_STATUS_WORDS } from "../../words.ts"

const BOUNCED = "Your account reported a hard bounce: the mailbox does not exist."
const NO_PROBE_NODE = "No probe node was available, so the mail server was not contacted."

/** The reason for the status as a sentence, or null. */
export function reasonOf(result: Deliverability): string | null {
  if (lacksProbeNode(result)) return NO_PROBE_NODE
  if (result.deliverability_score.primary_risk === "hard_bounce") return BOUNCED
  return result.sub_status && SUB_STATUS_WORDS[result.sub_status]
}

/** The reason for an empty SMTP conversation as a sentence. */
export function emptyTranscriptReason(result: Deliverability): string {
  if (lacksProbeNode(result)) return NO_PROBE_NODE
  return result.checks.smtp_status === "skipped"
    ? "The mail server was not contacted."
    : "The mail server sent no reply."
}

/** Whether no probe node was available. The API's `sub_status` has no separate value for this. */
function lacksProbeNode({ deliverability_score, explanation }: Deliverability): boolean {
  if (deliverability_score.primary_risk === "no_probe_node") return true
  return explanation?.ledger.some(({ rule }) => rule === "no_probe_node") ?? false
}
