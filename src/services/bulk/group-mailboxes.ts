import { TurnBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { type MailboxGroup, MailboxGroups } from "../../domain/lists/list-addresses.ts"
import { inReadTurn } from "./read-budget.ts"

export interface GroupedList {
  readonly groups: readonly MailboxGroup[]
  /** How many addresses were repaired. */
  readonly repaired: number
}

/**
 * Groups a list by mailbox. Other requests get the thread while a long list is read.
 * @throws AppError rate_limited
 */
export async function groupMailboxes(
  ctx: Context,
  { caller, emails }: { readonly caller: Caller; readonly emails: readonly string[] },
): Promise<GroupedList> {
  return inReadTurn(ctx, caller, async (budget) => {
    const groups = new MailboxGroups()
    const turn = new TurnBudget()
    let bytes = 0
    for (const email of emails) {
      groups.add(email)
      bytes += email.length
      if (!turn.isOver(email.length)) continue
      await budget.add({ bytes })
      bytes = 0
      await yieldToEventLoop()
    }
    await budget.add({ bytes })
    return { groups: groups.list(), repaired: groups.repaired }
  })
}
