import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { SuppressionStats } from "../../api/shapes.ts"
import { ForAccount, Loaded, Page } from "../../parts/page.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { count } from "../../words.ts"
import { AddSuppression } from "./add.tsx"
import { CheckSuppression } from "./check.tsx"
import { SuppressedEntries } from "./entries.tsx"
import { REASONS } from "./reasons.ts"
import { Transfer } from "./transfer.tsx"

export function SuppressionPage() {
  return (
    <Page
      title="Suppression"
      lead="Addresses and domains to which you must not send: bounces, complaints and unsubscribes. Verifications check this list."
    >
      <ForAccount>
        <Lists />
      </ForAccount>
    </Page>
  )
}

function Lists() {
  const [version, setVersion] = useState(0)
  const load = useLoad("suppression", (signal) => call<SuppressionStats>("/suppression/stats", { signal }))
  function handleChange() {
    load.reload()
    setVersion(version + 1)
  }
  return (
    <>
      <Loaded of={load} lines={2}>
        {(stats) => <Tiles tiles={tilesOf(stats)} />}
      </Loaded>
      <div class="columns">
        <AddSuppression onChange={handleChange} />
        <CheckSuppression onChange={handleChange} />
      </div>
      <SuppressedEntries version={version} onChange={handleChange} />
      <Transfer onChange={handleChange} />
    </>
  )
}

function tilesOf({ total, temporary, added_last_30_days, by_reason }: SuppressionStats) {
  const reasons = REASONS.filter(([reason]) => by_reason[reason] > 0)
  return [
    { name: "On the list", value: count(total), note: temporary > 0 ? `${count(temporary)} temporary` : "" },
    { name: "Added in 30 days", value: count(added_last_30_days) },
    ...reasons.map(([reason, words]) => ({ name: words, value: count(by_reason[reason]) })),
  ]
}
