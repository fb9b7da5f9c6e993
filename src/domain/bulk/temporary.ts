import type { MailboxEvidence } from "../verdict/evidence.ts"
import type { Verdict } from "../verdict/judge.ts"
import type { Verification } from "../verdict/verification.ts"

/** Temporary findings: a later probe may settle them. */
const TEMPORARY: ReadonlySet<Verdict["finding"]> = new Set([
  "greylisted",
  "temporary_failure",
  "throttled",
  "no_probe_node",
  "dns_failure",
  "unreachable",
])

/** Whether a later probe within the job may have another answer. */
export function isTemporary({ verdict, evidence }: Pick<Verification, "verdict" | "evidence">): boolean {
  return TEMPORARY.has(verdict.finding) && !hasOnlyPrivateHosts(evidence.mailbox)
}

/** The node dials none of the mail hosts, because all their addresses are private. A retry does not change that. */
function hasOnlyPrivateHosts(mailbox: MailboxEvidence | null): boolean {
  const attempts = mailbox?.attempts ?? []
  const isPrivate = ({ outcome }: (typeof attempts)[number]) =>
    outcome.kind === "failure" && outcome.failure === "blocked_address"
  return attempts.length > 0 && attempts.every(isPrivate)
}
