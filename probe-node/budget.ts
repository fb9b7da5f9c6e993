const DAY_MS = 86_400_000

/** Daily limit of probed recipients per source IP. */
export interface BudgetPlan {
  /** Recipients per source IP and UTC day after the warm-up. Null: no limit. */
  readonly perDay: number | null
  /** First day of a new IP (UTC midnight, Unix ms). Null: the IP is warm. */
  readonly warmUpFromMs: number | null
}

const WARM_UP_FIRST_DAY = 200
const WARM_UP_GROWTH = 1.35
/** The IP counts as warm from this day: the curve then exceeds a million recipients a day. */
const WARM_UP_DAYS = 30

/** Recipients allowed today. A new IP starts at 200 and grows by 35 % a day, as senders warm up an IP. */
export function allowance({ perDay, warmUpFromMs }: BudgetPlan, nowMs: number): number {
  const warm = perDay ?? Number.POSITIVE_INFINITY
  if (warmUpFromMs === null) return warm
  const age = Math.max(0, Math.floor((nowMs - warmUpFromMs) / DAY_MS))
  return age >= WARM_UP_DAYS ? warm : Math.min(warm, Math.floor(WARM_UP_FIRST_DAY * WARM_UP_GROWTH ** age))
}

/** Counts probed recipients per source IP and UTC day. */
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
