import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { classifyOutcome } from "../mail/classify-reply.ts"
import type { OwnNames } from "../mail/own-names.ts"
import type { Fate } from "./pair.ts"

/** Failures of the node's own, which another node need not have. */
const NODES_OWN: ReadonlySet<string> = new Set(["throttled", "shutdown", "proxy"])

/** Whether the mail server was not even asked, so that another node should be. */
export function isNodesOwn(outcome: RecipientOutcome): boolean {
  return outcome.kind === "failure" && NODES_OWN.has(outcome.failure)
}

/** What an outcome says about how its source IP, which went by `own`, stands with the operator; null: nothing. */
export function fateOf(outcome: RecipientOutcome, own: OwnNames | null = null): Fate | null {
  if (outcome.kind === "failure") return isNodesOwn(outcome) || outcome.failure === "deadline" ? null : "failed"
  const { class: meaning, reason } = classifyOutcome(outcome, own)
  switch (meaning) {
    case "accepted":
    case "mailbox_full":
      return "answered"
    case "mailbox_missing":
    case "mailbox_disabled":
      return "missing"
    case "greylisted":
    case "temporary":
      return "deferred"
    case "refuses_us":
      // At RCPT a policy may be the recipient's own: it says nothing about others.
      return outcome.stage === "rcpt" && reason === "policy" ? "failed" : "blocked"
    default:
      return "failed"
  }
}
