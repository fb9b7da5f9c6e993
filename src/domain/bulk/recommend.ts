import type { Bounce } from "./bounce.ts"

export interface Recommendation {
  readonly action: string
  readonly message: string
  /** Addresses it is about. */
  readonly affected: number
}

interface Situation {
  readonly problems: readonly { readonly problem: string; readonly count: number }[]
  readonly bounce: Bounce
  readonly analyzed: number
}

interface Rule {
  readonly action: string
  /** Problems it answers. */
  readonly problems: readonly string[]
  /** From which share of the list on it is worth saying, 0-1. */
  readonly from: number
  readonly message: (affected: string) => string
}

/** What to do about a list, the most urgent first. */
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
    message: (n) => `Remove the ${n} of throw-away services, and ask for a lasting address at sign-up.`,
  },
  {
    action: "send_slowly_to_catch_all",
    problems: ["catch_all"],
    from: 0.01,
    message: (n) => `Send to the ${n} at catch-all domains last and in small lots, and stop at the first bounces.`,
  },
  {
    action: "retry_later",
    problems: ["temporary_failure", "unreachable", "mailbox_full"],
    from: 0.01,
    message: (n) => `Verify the ${n} that gave no clear answer again in a day.`,
  },
  {
    action: "confirm_by_mail",
    problems: ["refused_probe"],
    from: 0.05,
    message: (n) => `The servers of ${n} do not say who exists; keep those who opened or clicked lately.`,
  },
  {
    action: "set_role_accounts_apart",
    problems: ["role_account"],
    from: 0.02,
    message: (n) => `Set the ${n} of functions such as info@ apart: they complain more and agree less.`,
  },
]

/** Mail operators begin to slow senders down beyond this share of bounces. */
const RISKY_BOUNCES = 0.02
const FIX_SOURCE_FROM = 0.1

/** What to do about a list. Empty only for a list without problems worth the words. */
export function recommend({ problems, bounce, analyzed }: Situation): Recommendation[] {
  const countOf = (names: readonly string[]) =>
    problems.reduce((sum, { problem, count }) => sum + (names.includes(problem) ? count : 0), 0)
  const found = RULES.flatMap(({ action, problems: names, from, message }) => {
    const affected = countOf(names)
    const isWorthIt = affected > 0 && affected >= from * analyzed
    return isWorthIt ? [{ action, message: message(addresses(affected)), affected }] : []
  })
  if (bounce.rate > FIX_SOURCE_FROM)
    found.push({
      action: "check_the_source",
      message: "So many addresses are wrong that the source of the list is worth a look: verify at sign-up.",
      affected: bounce.expected,
    })
  if (bounce.low > RISKY_BOUNCES)
    found.unshift({
      action: "do_not_send_yet",
      message: "Do not send to this list as it is: the bounces to expect would harm your standing as a sender.",
      affected: bounce.expected,
    })
  return found
}

function addresses(count: number): string {
  return count === 1 ? "1 address" : `${count} addresses`
}
