import type { Bounce } from "./bounce-rate.ts"

export interface Recommendation {
  readonly action: string
  readonly message: string
  /** Number of affected addresses. */
  readonly affected: number
}

interface Situation {
  readonly problems: readonly { readonly problem: string; readonly count: number }[]
  readonly bounce: Bounce
  readonly analyzed: number
}

interface Rule {
  readonly action: string
  /** Problems that trigger the rule. */
  readonly problems: readonly string[]
  /** Minimum share of the list, 0-1. */
  readonly from: number
  readonly message: (affected: string) => string
}

/** Recommendations for a list, the most urgent first. */
const RULES: readonly Rule[] = [
  {
    action: "remove_invalid",
    problems: ["malformed", "domain_takes_no_mail", "mailbox_not_found"],
    from: 0,
    message: (n) => `Remove the ${n} that cannot receive mail before you send.`,
  },
  {
    action: "remove_disposable",
    problems: ["disposable"],
    from: 0,
    message: (n) => `Remove the ${n} of disposable mail services, and require a permanent address at sign-up.`,
  },
  {
    action: "send_slowly_to_catch_all",
    problems: ["catch_all"],
    from: 0.01,
    message: (n) => `Send to the ${n} at catch-all domains last and in small batches, and stop at the first bounces.`,
  },
  {
    action: "retry_later",
    problems: ["temporary_failure", "unreachable", "mailbox_full"],
    from: 0.01,
    message: (n) => `Verify the ${n} without a clear result again in a day.`,
  },
  {
    action: "confirm_by_mail",
    problems: ["refused_probe"],
    from: 0.05,
    message: (n) => `The servers of ${n} do not confirm mailboxes. Send only to recent openers and clickers.`,
  },
  {
    action: "set_role_accounts_apart",
    problems: ["role_account"],
    from: 0.02,
    message: (n) =>
      `Treat the ${n} of roles such as info@ separately: they complain more often and consent less often.`,
  },
]

/** Mail operators slow a sender down above this bounce rate. */
const RISKY_BOUNCES = 0.02
const FIX_SOURCE_FROM = 0.1

/** Recommendations for a list; empty when no problem is large enough. */
export function recommend({ problems, bounce, analyzed }: Situation): Recommendation[] {
  const countOf = (names: readonly string[]) =>
    problems.reduce((sum, { problem, count }) => sum + (names.includes(problem) ? count : 0), 0)
  const found = RULES.flatMap(({ action, problems: names, from, message }) => {
    const affected = countOf(names)
    const isRelevant = affected > 0 && affected >= from * analyzed
    return isRelevant ? [{ action, message: message(addresses(affected)), affected }] : []
  })
  if (bounce.rate > FIX_SOURCE_FROM)
    found.push({
      action: "check_the_source",
      message: "Too many addresses are wrong. Check the source of the list, and verify addresses at sign-up.",
      affected: bounce.expected,
    })
  if (bounce.low > RISKY_BOUNCES)
    found.unshift({
      action: "do_not_send_yet",
      message: "Do not send to this list as it is: the expected bounces would harm your sender reputation.",
      affected: bounce.expected,
    })
  return found
}

function addresses(count: number): string {
  return count === 1 ? "1 address" : `${count} addresses`
}
