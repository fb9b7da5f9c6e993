import { TurnBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { type MailboxGroup, MailboxGroups } from "../../domain/bulk/group-mailboxes.ts"

export interface GroupedList {
  readonly groups: readonly MailboxGroup[]
  /** How many addresses were repaired. */
  readonly repaired: number
}

/** Groups a list by mailbox. Other requests get the thread while a long list is read. */
export async function groupMailboxes(emails: readonly string[]): Promise<GroupedList> {
  const groups = new MailboxGroups()
  const turn = new TurnBudget()
  for (const email of emails) {
    groups.add(email)
    if (turn.isOver(email.length)) await yieldToEventLoop()
  }
  return { groups: groups.list(), repaired: groups.repaired }
}
