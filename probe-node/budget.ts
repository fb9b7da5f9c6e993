const DAY_MS = 86_400_000

/** How many recipients one source IP may be asked about in a day. */
export interface BudgetPlan {
  /** Recipients per source IP and UTC day once warm; null for no limit. */
  readonly perDay: number | null
  /** First day of a new IP (UTC midnight, Unix ms); null when it is warm. */
  readonly warmUpFromMs: number | null
}

const WARM_UP_FIRST_DAY = 200
const WARM_UP_GROWTH = 1.35
/** The curve passes a million a day by now: the IP is warm. */
const WARM_UP_DAYS = 30

/** The allowance of a day: a new IP starts at 200 recipients and grows by 35 % a day, as senders warm up an IP. */
export function allowance({ perDay, warmUpFromMs }: BudgetPlan, nowMs: number): number {
  const warm = perDay ?? Number.POSITIVE_INFINITY
  if (warmUpFromMs === null) return warm
  const age = Math.max(0, Math.floor((nowMs - warmUpFromMs) / DAY_MS))
  return age >= WARM_UP_DAYS ? warm : Math.min(warm, Math.floor(WARM_UP_FIRST_DAY * WARM_UP_GROWTH ** age))
}

/** Counts recipients per source IP and UTC day. */
export function createBudget(plan: BudgetPlan) {
  let day = 0
  const spent = new Map<string, number>()

  function today(nowMs: number): Map<string, number> {
    const now = Math.floor(nowMs / DAY_MS)
    if (now !== day) spent.clear()
    day = now
    return spent
  }

  return {
    left(sourceIp: string, nowMs: number): number {
      return allowance(plan, nowMs) - (today(nowMs).get(sourceIp) ?? 0)
    },
    spend(sourceIp: string, recipients: number, nowMs: number): void {
      today(nowMs).set(sourceIp, (spent.get(sourceIp) ?? 0) + recipients)
    },
    spent(sourceIp: string, nowMs: number): number {
      return today(nowMs).get(sourceIp) ?? 0
    },
  }
}
