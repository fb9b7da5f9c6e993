import { counted } from "../counted.ts"
import { type Bounce, ENOUGH_DECIDED } from "./bounce-rate.ts"
import { type ItemTraits, isInvalid, PROBLEMS } from "./problems.ts"

export interface Recommendation {
  readonly action: string
  readonly message: string
  /** Number of addresses that the advice is about. */
  readonly affected: number
}

interface Item extends ItemTraits {
  readonly canSend: boolean
}

interface Situation {
  readonly groups: readonly (Item & { readonly count: number })[]
  readonly bounce: Bounce
  readonly analyzed: number
}

interface Rule {
  readonly action: string
  /** Problems that trigger the rule. */
  readonly problems: readonly string[]
  /** Addresses that the rule is about, when they have one of the problems. */
  readonly among: (item: Item) => boolean
  /** Minimum share of the list, 0-1. */
  readonly from: number
  readonly message: (affected: string) => string
}

const anyOne = () => true
/** Without the addresses that are removed anyway. */
const notInvalid = ({ status }: Item) => !isInvalid(status)

/** Recommendations for a list, the most urgent first. */
const RULES: readonly Rule[] = [
  {
    action: "remove_invalid",
    problems: ["malformed", "domain_takes_no_mail", "mailbox_not_found"],
    among: anyOne,
    from: 0,
    message: (n) => `Remove the ${n} that cannot receive mail before you send.`,
  },
  {
    action: "remove_disposable",
    problems: ["disposable"],
    among: notInvalid,
    from: 0,
    message: (n) => `Remove the ${n} of disposable mail services, and require a permanent address at sign-up.`,
  },
  {
    action: "do_not_send_to_catch_all",
    problems: ["catch_all"],
    among: ({ canSend }) => !canSend,
    from: 0.01,
    message: (n) => `Do not send to the ${n} of accept-all domains that cannot be confirmed.`,
  },
  {
    action: "send_slowly_to_catch_all",
    problems: ["catch_all"],
    among: ({ canSend }) => canSend,
    from: 0.01,
    message: (n) =>
      `Send to the ${n} of accept-all domains with a good score last and in small batches, and stop at the first bounces.`,
  },
  {
    action: "retry_later",
    problems: ["temporary_failure", "unreachable", "mailbox_full"],
    among: notInvalid,
    from: 0.01,
    message: (n) =>
      `Verify the ${n} with a full mailbox, or with a mail server that deferred or did not answer, again in a day.`,
  },
  {
    action: "confirm_by_mail",
    problems: ["refused_probe"],
    among: notInvalid,
    from: 0.05,
    message: (n) =>
      `The mail servers of ${n} refused our probe, often because they block our IP. It says nothing about the mailboxes: send only to recent openers and clickers.`,
  },
  {
    action: "set_role_accounts_apart",
    problems: ["role_account"],
    among: notInvalid,
    from: 0.02,
    message: (n) =>
      `Treat the ${n} of roles such as info@ separately: they complain more often and consent less often.`,
  },
]

/** Mail operators slow a sender down above this bounce rate. */
const RISKY_BOUNCES = 0.02
const FIX_SOURCE_FROM = 0.1

/** Recommendations for a list; empty when no problem is large enough. */
export function recommend({ groups, bounce, analyzed }: Situation): Recommendation[] {
  const number = (has: (item: Item) => boolean) =>
    groups.reduce((sum, group) => sum + (has(group) ? group.count : 0), 0)
  const found = RULES.flatMap(({ action, problems: names, among, from, message }) => {
    const kinds = PROBLEMS.filter(({ problem }) => names.includes(problem))
    const affected = number((item) => among(item) && kinds.some(({ concerns }) => concerns(item)))
    const isRelevant = affected > 0 && affected >= from * analyzed
    return isRelevant ? [{ action, message: message(addresses(affected)), affected }] : []
  })
  return bounce.decided < ENOUGH_DECIDED
    ? [...found, ...(analyzed > 0 ? [tooFew(bounce)] : [])]
    : [
        ...aboutSending(bounce, analyzed),
        ...found,
        ...aboutSource(
          bounce,
          number(({ status }) => isInvalid(status)),
        ),
      ]
}

function tooFew({ decided }: Bounce): Recommendation {
  const known = counted(decided, "mailbox is", "mailboxes are")
  const message = `Too few to judge the list: ${known} known to exist or not. A list is judged from ${ENOUGH_DECIDED} on.`
  return { action: "too_few_to_tell", message, affected: decided }
}

function aboutSending({ low }: Bounce, analyzed: number): Recommendation[] {
  if (low <= RISKY_BOUNCES) return []
  const message = "Do not send to this list as it is: the expected bounces would harm your sender reputation."
  return [{ action: "do_not_send_yet", message, affected: analyzed }]
}

function aboutSource({ rate }: Bounce, invalid: number): Recommendation[] {
  if (rate <= FIX_SOURCE_FROM) return []
  const message = "Too many addresses are wrong. Check the source of the list, and verify addresses at sign-up."
  return [{ action: "check_the_source", message, affected: invalid }]
}

function addresses(count: number): string {
  return counted(count, "address", "addresses")
}
