import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Suppressed } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { moment } from "../../words.ts"
import { REASON_WORDS } from "./reasons.ts"

export function CheckSuppression({ onChange }: { onChange: () => void }) {
  const [email, setEmail] = useState("")
  const [found, setFound] = useState<Suppressed | null>(null)
  const { busy, problem, run } = useAction(async () => {
    const answer = await call<Suppressed>(`/suppression/check?email=${encodeURIComponent(email.trim())}`)
    setFound(answer.ok ? answer.body : null)
    return answer.ok ? null : answer.problem
  })
  async function remove(path: string) {
    const answer = await call(path, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    onChange()
    void run()
    return null
  }
  return (
    <Panel title="Check an address">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Address to check" kind="email" value={email} onValue={setEmail} required />
        <SubmitButton label="Check" busy={busy} />
      </form>
      <ProblemNotice problem={problem} />
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
