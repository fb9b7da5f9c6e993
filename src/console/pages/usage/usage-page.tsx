import { type Answer, call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Credits, Quality, Usage, UsageSpan } from "../../api/shapes.ts"
import { Composition } from "../../parts/composition.tsx"
import { ForAccount, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { useChoice } from "../../route.ts"
import { count, duration, percent } from "../../words.ts"
import { ByDay, SPANS } from "./by-day.tsx"
import { ByKey } from "./by-key.tsx"
import { RecentVerifications } from "./recent.tsx"

export function UsagePage() {
  return (
    <Page
      title="Usage"
      lead={
        <>
          Verifications of your account: single ones and those of lists, in the console and by the API. Find uses
          credits only. Months are in UTC. <a href="#/billing?at=alerts">Alerts</a> warn you before the credits run out.
        </>
      }
    >
      <ForAccount>
        <Counts />
        <ByKey />
        <RecentQuality />
        <RecentVerifications />
      </ForAccount>
    </Page>
  )
}

function Counts() {
  const [chosen, setSpan] = useChoice("days")
  const span = SPANS.find((one) => one === chosen) ?? "30"
  const read = async (signal: AbortSignal): Promise<Answer<{ usage: Usage; credits: Credits }>> => {
    const [usage, credits] = await Promise.all([
      call<Usage>(`/me/usage?days=${span}`, { signal }),
      call<Credits>("/usage", { signal }),
    ])
    if (!usage.ok) return usage
    return credits.ok ? { ok: true, body: { usage: usage.body, credits: credits.body } } : credits
  }
  const load = useLoad(`usage ${span}`, read, { keepPrevious: true })
  return (
    <Loaded of={load}>
      {({ usage, credits }) => (
        <>
          <Tiles
            tiles={[
              { name: "Today", ...tileOf(usage.today, "yesterday") },
              { name: "This month", ...tileOf(usage.this_month, "last month") },
              { name: "This year", ...tileOf(usage.this_year, "last year") },
              creditsTile(credits),
            ]}
          />
          <ByDay histogram={usage.histogram} span={span} onSpan={setSpan} />
        </>
      )}
    </Loaded>
  )
}

function tileOf({ verifications, previous, delta_percent: delta }: UsageSpan, before: string) {
  const note = delta === null ? `none ${before}` : `${delta > 0 ? "+" : ""}${delta}% from ${count(previous)} ${before}`
  return { value: count(verifications), note }
}

function creditsTile({ credits_used: used, credits_limit: limit, ...credits }: Credits) {
  const until = `resets in ${duration(credits.resets_in_seconds)}`
  const bought = credits.bought_credits_left > 0 ? `; ${count(credits.bought_credits_left)} bought credits left` : ""
  const month = limit === null ? "no limit" : `${percent(used / Math.max(1, limit))} of ${count(limit)}; ${until}`
  const note = `${month}${bought}`
  return { name: "Credits used", value: count(used), note }
}

function RecentQuality() {
  const load = useLoad("quality", (signal) => call<Quality>("/me/stats", { signal }))
  return (
    <Panel title="Results by status" note="the last 90 days">
      <Loaded of={load}>
        {({ by_status, top_domains, total, cached }) => (
          <div class="stack">
            <Composition counts={by_status} />
            <p class="soft small">
              {total === 0
                ? "Nothing verified yet."
                : `${percent(cached / total)} came from the cache and used no credit.`}
            </p>
            {top_domains.length > 0 && (
              <p class="small break">
                <span class="soft">Top domains of single verifications: </span>
                {top_domains.map(({ domain, count: times }) => `${domain} (${count(times)})`).join(", ")}
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
