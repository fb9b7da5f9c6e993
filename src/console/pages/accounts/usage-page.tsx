import { call, together, useGet, useLoad, usePaged } from "../../api/call.ts"
import type { Credits, Key, Keys, Quality, Recent, Usage, UsageDay, UsageSpan } from "../../api/shapes.ts"
import { Composition, type Layer, StackedBars } from "../../parts/bars.tsx"
import { DataTable, LoadedTablePanel } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Loaded, LoadedPanel, Page, Panel } from "../../parts/page.tsx"
import { AddressLink, Ago, StatusBadge, Tiles, withNote } from "../../parts/text.tsx"
import { useChoice, useDays } from "../../route.ts"
import { count, days, duration, percent, SHOWN_STATUSES, STATUS_WORDS, shortDay } from "../../words.ts"

export const UsagePage = () => (
  <Page
    title="Usage"
    lead={
      <>
        Verifications of your account: single ones and those of lists, in the console and by the API. Find uses credits
        only. Months are in UTC. <a href="#/billing?at=alerts">Alerts</a> warn you before the credits run out.
      </>
    }
    access="account"
  >
    <Counts />
    <ByKey />
    <RecentQuality />
    <RecentVerifications />
  </Page>
)

function Counts() {
  const span = useDays()
  const load = useLoad(
    `usage ${span.value}`,
    (signal) =>
      together({
        usage: call<Usage>(`/me/usage?days=${span.value}`, { signal }),
        credits: call<Credits>("/usage", { signal }),
      }),
    { keepPrevious: true },
  )
  return (
    <Loaded of={load}>
      {({ usage, credits }) => (
        <>
          <Tiles
            tiles={[
              ["Today", ...tileOf(usage.today, "yesterday")],
              ["This month", ...tileOf(usage.this_month, "last month")],
              ["This year", ...tileOf(usage.this_year, "last year")],
              creditsTile(credits),
            ]}
          />
          <ByDay histogram={usage.histogram} span={span} />
        </>
      )}
    </Loaded>
  )
}

function tileOf({ verifications, previous, delta_percent: delta }: UsageSpan, before: string) {
  const note = delta === null ? `none ${before}` : `${delta > 0 ? "+" : ""}${delta}% from ${count(previous)} ${before}`
  return [count(verifications), note] as const
}

function creditsTile({ credits_used: used, credits_limit: limit, ...credits }: Credits) {
  const until = `resets in ${duration(credits.resets_in_seconds)}`
  const bought = credits.bought_credits_left > 0 ? `; ${count(credits.bought_credits_left)} bought credits left` : ""
  const month = limit === null ? "no limit" : `${percent(used / Math.max(1, limit))} of ${count(limit)}; ${until}`
  const note = `${month}${bought}`
  return ["Credits used", count(used), note] as const
}

function RecentQuality() {
  const load = useGet<Quality>("/me/stats")
  return (
    <LoadedPanel title="Results by status" note="the last 90 days" of={load}>
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
    </LoadedPanel>
  )
}

const BY_RESULT: readonly Layer[] = SHOWN_STATUSES.map((status) => ({
  name: STATUS_WORDS[status],
  color: status.replaceAll("_", "-"),
}))
const BY_SOURCE: readonly Layer[] = [
  { name: "New results", color: "accent" },
  { name: "Cached results", color: "unknown" },
]

function ByDay({ histogram, span }: { histogram: readonly UsageDay[]; span: ReturnType<typeof useDays> }) {
  const [split, setSplit] = useChoice("split")
  const isBySource = split === "source"
  return (
    <Panel title="By day" note="days are in UTC">
      <div class="row end">
        <Select label="Show" {...span} />
        <Select
          label="Split by"
          value={isBySource ? "source" : ""}
          options={[
            ["", "Result"],
            ["source", "New or cached"],
          ]}
          onValue={setSplit}
        />
      </div>
      <StackedBars
        key={split}
        label={`Verifications on each of the last ${days(histogram.length)}`}
        nameTitle="Day"
        layers={isBySource ? BY_SOURCE : BY_RESULT}
        bars={histogram.map((day) => ({
          name: shortDay(day.date),
          amounts: isBySource
            ? [day.verifications - day.cached, day.cached]
            : SHOWN_STATUSES.map((status) => day.by_status[status] ?? 0),
        }))}
      />
    </Panel>
  )
}

type Used = Keys["sessions"]

/** What each key and the signed-in sessions used this month. The parts add up to the last row. */
function ByKey() {
  const load = useGet<Keys>("/keys")
  return (
    <LoadedPanel title="By API key" note="this month" of={load}>
      {(used) => <UsedTable {...used} />}
    </LoadedPanel>
  )
}

function UsedTable({ keys, sessions }: Keys) {
  const sum = (field: keyof Used) => count(keys.reduce((total, key) => total + key[field], sessions[field]))
  const byUse = keys.toSorted((a, b) => b.verifications_this_month - a.verifications_this_month)
  const rows: readonly (Key | Used)[] = [...byUse, sessions]
  return (
    <DataTable
      label="By API key"
      first={26}
      rows={rows}
      rowKey={(row) => ("key_id" in row ? row.key_id : "sessions")}
      columns={[
        [
          "Key",
          (row) => ("key_id" in row ? <KeyOfRow of={row} /> : "Console (signed in)"),
          { class: "break", foot: "All" },
        ],
        [
          "Verifications",
          ({ verifications_this_month }) => count(verifications_this_month),
          { class: "num", foot: sum("verifications_this_month") },
        ],
        [
          "Credits",
          ({ credits_this_month }) => count(credits_this_month),
          { class: "num", foot: sum("credits_this_month") },
        ],
        ["Last used", (row) => "key_id" in row && <Ago at={row.last_used === null ? null : row.last_used * 1_000} />],
      ]}
    />
  )
}

const KeyOfRow = ({ of: key }: { of: Key }) =>
  withNote(<a href={`#/keys/${key.key_id}`}>{key.name}</a>, detailsOf(key), "soft small")

/** What distinguishes keys of the same name. */
function detailsOf({ last4, is_active: isActive, replaced_by: successor }: Key): string {
  const state = isActive === 1 ? "" : successor === null ? "revoked" : "replaced"
  return [last4 && `ends in ${last4}`, state].filter(Boolean).join(", ")
}

const PAGE = 25

function RecentVerifications() {
  const load = usePaged<{ verifications: readonly Recent[] }>(
    "/me/recent-verifications",
    { limit: String(PAGE) },
    { position: "offset" },
  )
  const shown = load.pages.number * PAGE
  return (
    <LoadedTablePanel
      title="Latest single verifications"
      of={load}
      label="Latest verifications"
      rows={({ verifications }) => verifications}
      next={({ verifications }) => (verifications.length === PAGE ? shown : null)}
      rowKey={({ id }) => id}
      columns={[
        ["Address", ({ email }) => <AddressLink email={email} />, "break"],
        ["Status", ({ status }) => <StatusBadge status={status} />],
        ["Score", ({ score }) => score, "num"],
        ["When", ({ created_at }) => <Ago at={created_at} />],
        ["Source", ({ cached }) => (cached ? "Cached result" : "New"), "soft"],
      ]}
      empty={[
        load.pages.number === 1 ? "None yet" : "No more verifications",
        "Verifications of single addresses appear here. Lists have their own page.",
      ]}
    />
  )
}
