import { useLayoutEffect, useState } from "preact/hooks"
import { type Answer, call, isTemporary } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { DkimKeys, DomainIntel, DomainRating } from "../../api/shapes.ts"
import { CheckRows } from "../../parts/check-rows.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { domainLink, go } from "../../route.ts"
import { adviceOn, type DomainState } from "./advice.ts"
import { checksOf } from "./checks.ts"
import { Fixes } from "./fixes.tsx"
import { Rating } from "./rating.tsx"

/** Checks the domain in the URL. It costs no credits, so a link from outside needs no confirmation. */
export function DomainPage({ requested }: { requested: string | null }) {
  const [name, setName] = useState("")
  const [attempt, setAttempt] = useState(0)
  // A layout effect runs before the paint, so that the form and the result never show different domains.
  useLayoutEffect(() => setName(requested ?? ""), [requested])
  const load = useLoad<DomainState | null>(`${attempt} ${requested}`, async (signal) =>
    requested === null ? { ok: true, body: null } : checkDomain(requested, signal),
  )
  const isChecking = requested !== null && load.state === "loading"
  function check() {
    const entered = name.trim()
    if (entered !== requested) return go(domainLink(entered))
    if (!isChecking) setAttempt(attempt + 1)
  }
  return (
    <Page title="Domain check" lead="Whether a domain is set up for mail, and what its owner should fix. It is free.">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault()
          check()
        }}
      >
        <div class="row end">
          <Field label="Domain" placeholder="example.com" value={name} onValue={setName} required />
          <SubmitButton label="Check" busy={isChecking && name.trim() === requested} busyLabel="Checking" />
        </div>
      </form>
      {isChecking && (
        <section class="panel" aria-busy="true">
          <Skeleton lines={5} label="Checking" />
        </section>
      )}
      {load.state === "failed" && (
        <ProblemNotice
          problem={load.problem}
          retry={isTemporary(load.problem) ? () => setAttempt(attempt + 1) : undefined}
        />
      )}
      <div aria-live="polite">{load.state === "ready" && load.value && <Result state={load.value} />}</div>
      {requested === null && (
        <Empty title="No domain yet">
          <p>The result is a grade with every mail record, and the records to publish. Its link can be shared.</p>
        </Empty>
      )}
    </Page>
  )
}

function Result({ state }: { state: DomainState }) {
  const advice = adviceOn(state)
  return (
    <div class="stack wide">
      <Rating state={state} advice={advice} />
      <Fixes advice={advice} />
      <Panel title="All checks">
        <div class="long-words stack wide">
          {Object.entries(checksOf(state)).map(([title, rows]) => (
            <CheckRows key={title} title={title} rows={rows} />
          ))}
        </div>
      </Panel>
    </div>
  )
}

async function checkDomain(name: string, signal: AbortSignal): Promise<Answer<DomainState>> {
  const path = encodeURIComponent(name)
  const [rating, intel, dkim] = await Promise.all([
    call<DomainRating>(`/deliverability/domain/${path}`, { signal }),
    call<DomainIntel>(`/domain-intel/${path}`, { signal }),
    call<DkimKeys>(`/check/dkim?domain=${path}`, { signal }),
  ])
  if (!rating.ok) return rating
  if (!intel.ok) return intel
  if (!dkim.ok) return dkim
  return { ok: true, body: { rating: rating.body, intel: intel.body, dkim: dkim.body } }
}
