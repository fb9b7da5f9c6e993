import type { ValidAddress } from "../../domain/address/parse.ts"
import type { MailboxEvidence, MxHost } from "../../domain/verdict/evidence.ts"
import { type ProbeNeeds, probeBatch } from "./probe-batch.ts"

export interface ProbeInput {
  readonly address: ValidAddress
  readonly hosts: readonly MxHost[]
  readonly deadlineMs: number
  /** What was said about it the last time. */
  readonly before?: MailboxEvidence | null
}

/** Asks the mail server about one mailbox and a random sibling: a batch of one. Null when no node could be asked. */
export async function probeMailbox(
  needs: ProbeNeeds,
  { address, hosts, deadlineMs, before = null }: ProbeInput,
): Promise<MailboxEvidence | null> {
  let found: MailboxEvidence | null = null
  const targets = [{ address, hosts, before }]
  await probeBatch(needs, { targets, deadlineMs, priority: "interactive" }, (_, mailbox) => {
    found = mailbox
  })
  return found
}
