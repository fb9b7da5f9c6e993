import { useState } from "preact/hooks"
import type { Status } from "../../../../schema/vocabulary.ts"
import { type Answer, call, isTemporary, together, useLoad } from "../../api/call.ts"
import type { DkimKeys, DomainIntel, DomainRating } from "../../api/shapes.ts"
import { Copy, Link } from "../../parts/buttons.tsx"
import { CheckRows } from "../../parts/check-rows.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { Ago, Badge, Empty, ProblemNotice, Score, Skeleton, type Tone } from "../../parts/text.tsx"
import { domainLink, findLink, go } from "../../route.ts"
import { counted } from "../../words.ts"
import { type Advice, adviceOn, type DomainState, type Level, type Publication } from "./domain-advice.ts"
import { checksOf } from "./domain-checks.ts"

/** Checks the domain in the URL. It costs no credits, so a link from outside needs no confirmation. */
export function DomainPage({ requested }: { requested: string | null }) {
  const [attempt, setAttempt] = useState(0)
  const load = useLoad<DomainState | null>(`${attempt} ${requested}`, async (signal) =>
    requested === null ? { ok: true, body: null } : checkDomain(requested, signal),
  )
  const isChecking = requested !== null && load.state === "loading"
  const field = { label: "Domain", placeholder: "example.com", initial: requested ?? "", required: true }
  const form = useForm({ name: field }, ({ name }) => {
    if (name !== requested) go(domainLink(name))
    else if (!isChecking) setAttempt(attempt + 1)
    return null
  })
  return (
    <Page title="Domain check" lead="Whether a domain is set up for mail, and what its owner should fix. It is free.">
      <section class="panel">
        <Form
          of={form}
          submit="Check"
          busyLabel="Checking"
          layout="row"
          isBusy={isChecking && form.values.name.trim() === requested}
        />
      </section>
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
        <Empty
          title="No domain yet"
          text="The result is a grade with every mail record, and the records to publish. Its link can be shared."
        />
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

function checkDomain(name: string, signal: AbortSignal): Promise<Answer<DomainState>> {
  const path = encodeURIComponent(name)
  return together({
    rating: call<DomainRating>(`/deliverability/domain/${path}`, { signal }),
    intel: call<DomainIntel>(`/domain-intel/${path}`, { signal }),
    dkim: call<DkimKeys>(`/check/dkim?domain=${path}`, { signal }),
  })
}

type Grade = NonNullable<DomainState["rating"]["grade"]>

const GRADES: Readonly<Record<Grade, readonly [Status, string]>> = {
  A: ["valid", "Well set up for mail"],
  B: ["valid", "Set up for mail, with gaps"],
  C: ["accept_all", "Partly set up for mail"],
  D: ["accept_all", "Poorly set up for mail"],
  F: ["invalid", "Not ready for mail"],
}

/** Headlines of domains whose mail route decides everything. */
const BY_ROUTE: Readonly<Record<string, readonly [Status, string]>> = {
  null_mx: ["unknown", "The domain declares that it accepts no mail"],
  no_such_domain: ["invalid", "The domain does not exist"],
  no_mail_host: ["invalid", "The domain has no mail host"],
}

function Rating({ state, advice }: { state: DomainState; advice: readonly Advice[] }) {
  const { domain, grade, deliverability_score: score } = state.rating
  const { dns } = state.intel
  const byRoute = BY_ROUTE[dns.route]
  const [tone, words] = byRoute ??
    (grade === null ? null : GRADES[grade]) ?? ["unknown", "DNS gave no answer, so there is no grade"]
  return (
    <section class={`panel verdict tone-${tone}`}>
      <div class="stack">
        <p class="mono break">{domain}</p>
        <h2 class="verdict-words">{words}</h2>
        <p>{summaryOf(advice)}</p>
        {!byRoute && <LostPoints rating={state.rating} />}
        <p class="soft small">
          DNS checked <Ago at={dns.checked_at} />. Changes of MX and SPF show here within an hour, other changes within
          a day. No credit used.
        </p>
        <div class="row">
          <Copy text={new URL(domainLink(domain), location.href).href} label="Copy link" />
          {dns.mx_valid && <Link label="Address formats" to={findLink("", domain)} class="button quiet" />}
        </div>
      </div>
      {!byRoute && score !== null && grade !== null && <Score score={score} grade={grade} />}
    </section>
  )
}

/** The signals that give no points, although the score is below 100. */
function LostPoints({ rating: { deliverability_score: score, reasons } }: { rating: DomainRating }) {
  const without = reasons.filter(({ points, code }) => points <= 0 && code !== "limit")
  if (score === null || score === 100 || without.length === 0) return null
  return (
    <div class="soft">
      <p>No points for:</p>
      <ul class="bullets">
        {without.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </div>
  )
}

function summaryOf(advice: readonly Advice[]): string {
  const amount = (level: Advice["level"]) => advice.filter((one) => one.level === level).length
  const [fixes, improvements] = [amount("fix"), amount("improve")]
  const parts = [
    fixes > 0 && `${counted(fixes, "thing")} to fix`,
    improvements > 0 && `${counted(improvements, "thing")} to improve`,
  ].filter(Boolean)
  return parts.length === 0 ? "Nothing to fix." : `${parts.join(", ")}.`
}

const LEVELS: Readonly<Record<Level, readonly [Tone, string]>> = {
  fix: ["invalid", "Fix"],
  improve: ["accept_all", "Improve"],
  optional: ["unknown", "Optional"],
}

function Fixes({ advice }: { advice: readonly Advice[] }) {
  if (advice.length === 0) return null
  const areOptional = advice.every(({ level }) => level === "optional")
  return (
    <Panel
      title={areOptional ? "Optional improvements" : "What to fix"}
      note={advice.length > 1 ? "the most important first" : ""}
    >
      <ol class={areOptional ? "fixes plain" : "fixes"}>
        {advice.map(({ code, level, sentence, records }) => (
          <li key={code}>
            {!areOptional && <Badge tone={LEVELS[level][0]}>{LEVELS[level][1]}</Badge>}
            <div class="stack">
              <p>{sentence}</p>
              {records.map((record) => (
                <PublicationBox key={record.place} record={record} />
              ))}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const PublicationBox = ({ record: { place, text } }: { record: Publication }) => (
  <div class="publication">
    <div class="publication-head">
      <span class="soft small break">{place}</span>
      <Copy text={text} />
    </div>
    <code class="publication-text">{text.trimEnd()}</code>
  </div>
)
