import type { Credits } from "../../api/shapes.ts"
import { Tiles } from "../../parts/tiles.tsx"
import { count, duration, percent, plain } from "../../words.ts"

/** The active plan and its credits of this month. */
export function CreditTiles({ credits }: { credits: Credits }) {
  const {
    tier,
    credits_used: used,
    credits_limit: limit,
    credits_remaining: left,
    bought_credits_left: bought,
  } = credits
  const share = limit === null ? null : `${percent(used / Math.max(1, limit))} of ${count(limit)}`
  return (
    <Tiles
      tiles={[
        { name: "Plan", value: plain(tier), note: limit === null ? "no limit" : `${count(limit)} credits a month` },
        { name: "Used this month", value: count(used), note: share },
        {
          name: "Left this month",
          value: left === null ? "No limit" : count(left),
          note: `resets in ${duration(credits.resets_in_seconds)}`,
        },
        { name: "Bought credits left", value: count(bought), note: "used after the credits of the month" },
      ]}
    />
  )
}
