import type { Deliverability } from "../../api/shapes.ts"
import { entryOf } from "./sentence.ts"

/** The reason for an empty SMTP conversation as a sentence. */
export function emptyTranscriptReason(result: Deliverability): string {
  if (entryOf(result, "status")?.rule === "no_probe_node")
    return "No probe node was available, so the mail server was not contacted."
  return result.checks.smtp_status === "skipped"
    ? "The mail server was not contacted."
    : "The mail server sent no reply."
}
