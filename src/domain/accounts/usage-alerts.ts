/** Percent of the month's credits at which an account is told. */
export const ALERT_PERCENTS = [80, 100] as const
export type AlertPercent = (typeof ALERT_PERCENTS)[number]

/**
 * The thresholds that an account has reached, the lowest first.
 * @param used credits of the month, as far as they count for the caller
 * @param limit credits of the month; null when unlimited, which reaches none
 */
export function reachedPercents({ used, limit }: { used: number; limit: number | null }): AlertPercent[] {
  if (limit === null || limit === 0) return []
  return ALERT_PERCENTS.filter((percent) => used * 100 >= limit * percent)
}

export interface UsageAlert {
  readonly percent: number
  /** The month's credits. */
  readonly credits: number
  /** UTC month, "2026-11". */
  readonly period: string
}

/** The mail about a threshold. @param consoleUrl of the page with the plans */
export function alertMail({ percent, credits, period }: UsageAlert, consoleUrl: string) {
  const all = credits.toLocaleString("en")
  const isOver = percent >= 100
  return {
    subject: isOver
      ? "Your Mailverdict credits of this month are used up"
      : `${percent} % of your Mailverdict credits are used`,
    text: [
      isOver
        ? `All ${all} credits of ${period} are used. Bought credits pay from now on. Without any, requests are refused until the next month.`
        : `${percent} % of your ${all} credits of ${period} are used.`,
      `Change the plan, buy credits or switch these mails off: ${consoleUrl}`,
      "",
    ].join("\n\n"),
  }
}
