import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import { useGet } from "../../api/load.ts"
import type { Suppressed, SuppressionStats } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { type TileEntry, Tiles } from "../../parts/tiles.tsx"
import { count, moment } from "../../words.ts"
import { AddSuppression } from "./add.tsx"
import { SuppressedEntries } from "./entries.tsx"
import { Transfer } from "./import.tsx"
import { REASON_WORDS, REASONS } from "./subjects.ts"

export const SuppressionPage = page(Lists, {
  title: "Suppression",
  lead: "Addresses and domains to which you must not send: bounces, complaints and unsubscribes. Verifications check this list.",
  access: "account",
})

function Lists() {
  const [version, setVersion] = useState(0)
  const load = useGet<SuppressionStats>("/suppression/stats")
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

function tilesOf({ total, temporary, added_last_30_days, by_reason }: SuppressionStats): readonly TileEntry[] {
  const reasons = REASONS.filter(([reason]) => by_reason[reason] > 0)
  return [
    ["On the list", count(total), temporary > 0 ? `${count(temporary)} temporary` : ""],
    ["Added in 30 days", count(added_last_30_days)],
    ...reasons.map(([reason, words]) => [words, count(by_reason[reason])] as const),
  ]
}

function CheckSuppression({ onChange }: { onChange: () => void }) {
  const [found, setFound] = useState<Suppressed | null>(null)
  const form = useForm({ email: { label: "Address to check", kind: "email", required: true } }, (typed, labels) => {
    setFound(null)
    return change<Suppressed>(`/suppression/check?${new URLSearchParams(typed)}`, { labels }, setFound)
  })
  const remove = (path: string) =>
    change(path, { method: "DELETE" }, () => {
      onChange()
      form.submit()
    })
  return (
    <Panel title="Check an address">
      <Form of={form} submit="Check" layout="row" />
      {found && !found.is_suppressed && (
        <Notice tone="valid" title="Not on the list">
          <p class="break">You can send to {found.email}.</p>
        </Notice>
      )}
      {found?.is_suppressed && (
        <Notice
          tone="accept_all"
          title={`On the list: ${(REASON_WORDS.get(found.reason ?? "manual") ?? "").toLowerCase()}`}
        >
          <p class="break">{detailsOf(found)}</p>
          {found.list === "account" && found.domain === null && (
            <Confirm
              label="Remove"
              title={`Remove ${found.email} from the list?`}
              danger
              onConfirm={() => remove(`/suppression/${encodeURIComponent(found.email)}`)}
            >
              <p>{found.entries.length > 1 ? "Another entry still suppresses it." : "You can send to it again."}</p>
            </Confirm>
          )}
          {found.list === "account" && found.domain !== null && (
            <Confirm
              label="Remove the domain"
              title={`Remove ${found.domain} from the list?`}
              danger
              onConfirm={() => remove(`/suppression/domains/${encodeURIComponent(found.domain ?? "")}`)}
            >
              <p>You can send to its addresses again, unless they are on the list themselves.</p>
            </Confirm>
          )}
        </Notice>
      )}
    </Panel>
  )
}

function detailsOf({ email, suppressed_at, expires_at, source, list, domain }: Suppressed): string {
  const since = suppressed_at ? ` since ${moment(suppressed_at)}` : ""
  const until = expires_at ? `, until ${moment(expires_at)}` : ", permanently"
  const by = source ? `, by ${source}` : ""
  return `${email}${since}${until}${by}${list === "operator" ? " (list of the whole service)" : ""}${domain === null ? "" : `, with every address at ${domain}`}.`
}
