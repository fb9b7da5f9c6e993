import { useEffect, useState } from "preact/hooks"
import { type Answer, call, useGet, useLoad } from "../../api/call.ts"
import type { Checks, Deliverability, Health } from "../../api/shapes.ts"
import { Button, Copy } from "../../parts/buttons.tsx"
import { Check } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { Ago, Empty, ProblemNotice, Score, Skeleton, StatusBadge } from "../../parts/text.tsx"
import { confirmAddress, go, isFromOutside, verifyLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { moment, STATUS_WORDS } from "../../words.ts"
import { Actions } from "./actions.tsx"
import { SANDBOX_EXAMPLES } from "./examples.ts"
import { AddressHistory, Result } from "./result.tsx"
import { noGradeWords, sentenceOf } from "./sentence.ts"

const LABELS = { email: "Email address" }

/**
 * Verifies the address in the URL. Submitting the form changes the URL.
 * A URL from outside the console only fills the form: another site must not spend the visitor's credits.
 * @param requested the address in the URL
 */
export function VerifyPage({ requested }: { requested: string | null }) {
  const { account } = useSession()
  const [options, setOptions] = useState<Options>(DEFAULT_OPTIONS)
  const [attempt, setAttempt] = useState(0)
  const confirmed = isFromOutside() ? null : requested
  const key = `${attempt} ${confirmed}`
  const request = { email: confirmed, explain: true, ...options }
  const load = useLoad<Deliverability | null>(key, async (signal) => {
    if (!confirmed) return { ok: true, body: null }
    return call<Deliverability>("/validate", { method: "POST", json: request, labels: LABELS, signal })
  })
  // A newer result of the same address replaces the loaded one in place, so that the focus stays.
  const [newer, setNewer] = useState<{ key: string; result: Deliverability } | null>(null)
  const loaded = load.state === "ready" ? load.value : null
  const result = loaded && newer?.key === key ? newer.result : loaded
  async function verifyAgain(more: { fresh?: boolean }): Promise<Answer<Deliverability>> {
    const answer = await call<Deliverability>("/validate", {
      method: "POST",
      json: { ...request, ...more },
      labels: LABELS,
    })
    if (answer.ok) setNewer({ key, result: answer.body })
    return answer
  }
  const isVerifying = confirmed !== null && load.state === "loading"
  function verify(entered: string) {
    if (entered !== requested) return go(verifyLink(entered))
    if (isVerifying) return
    confirmAddress()
    setAttempt(attempt + 1)
  }
  const placeholder = "name@example.com"
  const form = useForm(
    { email: { label: LABELS.email, kind: "email", placeholder, initial: requested ?? "", required: true } },
    ({ email }) => {
      verify(email)
      return null
    },
  )
  return (
    <Page title="Verify" lead="Syntax, DNS and a live SMTP probe, with every step shown.">
      <section class="panel">
        <Form
          of={form}
          submit="Verify"
          busyLabel="Verifying"
          layout="row"
          isBusy={isVerifying && form.values.email.trim() === requested}
        />
        <VerifyOptions options={options} onOptions={setOptions} />
      </section>
      {isVerifying && <Verifying key={confirmed} email={confirmed} />}
      {load.state === "failed" && <ProblemNotice problem={load.problem} retry={() => setAttempt(attempt + 1)} />}
      <div aria-live="polite">{result && <Verdict result={result} onTry={verify} />}</div>
      {result && (
        <Actions
          key={key}
          result={result}
          request={request}
          onCheckAgain={() => verifyAgain({ fresh: true })}
          onChange={() => void verifyAgain({})}
        />
      )}
      {result && <Result result={result} />}
      {result && account && <AddressHistory result={result} />}
      {requested && !confirmed && (
        <Empty
          title="Not verified yet"
          text="This address came from a link. Press Verify to use a credit and see the result."
        />
      )}
      {!requested && <Welcome />}
    </Page>
  )
}

/** [API field, label, hint, default] */
const CHOICES = [
  ["smtp", "Probe the mail server", "", true],
  ["rbl", "Blocklists", "", true],
  ["domain_age", "Domain age", "", true],
  ["web_presence", "Website of the domain", "", true],
  ["gravatar", "Gravatar", "", true],
  ["suppression", "Check the suppression list", "", true],
  ["enrich", "Model prediction", "", false],
  ["breach", "Known breaches", "costs an extra credit", false],
] as const

type Options = Readonly<Record<(typeof CHOICES)[number][0], boolean>>

const DEFAULT_OPTIONS = Object.fromEntries(CHOICES.map(([name, , , on]) => [name, on])) as Options

const VerifyOptions = ({ options, onOptions }: { options: Options; onOptions: (options: Options) => void }) => (
  <details>
    <summary>Options</summary>
    <div class="choices">
      {CHOICES.map(([name, label, hint]) => (
        <Check
          key={name}
          label={label}
          hint={hint}
          checked={options[name]}
          onChecked={(checked) => onOptions({ ...options, [name]: checked })}
        />
      ))}
    </div>
  </details>
)

/** Progress of a verification. After a few seconds it explains the delay. */
function Verifying({ email }: { email: string }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  const domain = email.slice(email.lastIndexOf("@") + 1)
  return (
    <section class="panel" aria-busy="true">
      <p class="soft">
        Probing <span class="break">{domain}</span>
        {seconds > 2 && `, ${seconds} s so far. Some mail servers respond slowly on purpose. The limit is 30 s.`}
      </p>
      <Skeleton lines={5} label="Verifying" />
    </section>
  )
}

const RECOMMENDATIONS = {
  send: "Safe to send to",
  send_with_caution: "Send with caution",
  retry_later: "Try again later",
  do_not_send: "Do not send",
} as const

function Verdict({ result, onTry }: { result: Deliverability; onTry: (email: string) => void }) {
  const { checks, did_you_mean, deliverability_score: advice } = result
  const { says, tone, notes } = sentenceOf(result)
  const noGrade = noGradeWords(result)
  const health = useGet<Health>("/health")
  const isTest = checks.email.endsWith(".test") && health.state === "ready" && !health.value.sandbox
  return (
    <section class={`panel verdict tone-${tone}`}>
      <div class="stack">
        <div class="row">
          <StatusBadge status={checks.status} />
          <span class="mono break">{checks.email}</span>
        </div>
        <h2 class="verdict-words">{says}</h2>
        <p>
          <b>{RECOMMENDATIONS[advice.recommendation]}.</b> {notes.join(" ")}
        </p>
        {did_you_mean && (
          <p>
            Did you mean <Button label={did_you_mean} class="link" onClick={() => onTry(did_you_mean)} />?
          </p>
        )}
        {checks.next_check_at && <p class="soft">We check again by ourselves {moment(checks.next_check_at)}.</p>}
        <p class="soft small">
          {checks.cached ? "Cached result, verified" : "Verified"} <Ago at={checks.verified_at} />.{" "}
          {creditWords(checks, isTest)}
        </p>
      </div>
      {noGrade === null ? (
        <Score score={checks.score} grade={advice.grade} />
      ) : (
        <p class="score">
          No grade:
          <small class="soft">{noGrade}</small>
        </p>
      )}
    </section>
  )
}

/**
 * What the result cost: cached, unknown and malformed ones are free, and those of test mode. A search for breaches costs a
 * credit of its own.
 */
function creditWords({ cached, status, breach_found: breach }: Checks, isTest: boolean): string {
  const isFree = isTest || cached || status === "unknown" || status === "invalid_syntax"
  const search = breach === null || isTest ? "" : " A new search for breaches uses one more."
  return `${isFree ? "It used no credit." : "It used 1 credit."}${search}`
}

const ON_THIS_MACHINE = "mail servers on this machine, one for each behavior"
const IN_TEST_MODE = "one for each behavior, answered without a mail server and free"

/** What a newcomer can do first. */
export function Welcome() {
  const health = useGet<Health>("/health")
  const hasSandbox = health.state === "ready" && health.value.sandbox
  const example = hasSandbox ? "alice@mailbox.test" : "you@example.com"
  const command = `curl '${location.origin}/validate?email=${example}'`
  return (
    <>
      <Panel title="Three things to try">
        <ol class="steps">
          <li>
            <b>Verify an address.</b> Enter it above, or <a href={verifyLink(example)}>try {example}</a>. An unknown
            result costs nothing.
          </li>
          <li>
            <b>Clean a list.</b> <a href="#/lists">Upload a CSV, Excel or text file</a> and download the sendable rows.
          </li>
          <li>
            <b>Call the API.</b> <a href="#/keys">Create an API key</a>, or start without one:
            <div class="row">
              <code class="break">{command}</code>
              <Copy text={command} />
            </div>
          </li>
        </ol>
      </Panel>
      {health.state === "ready" && (
        <Panel title="Sandbox addresses" note={hasSandbox ? ON_THIS_MACHINE : IN_TEST_MODE}>
          <ul class="examples">
            {SANDBOX_EXAMPLES.map(([email, status, about]) => (
              <li key={email}>
                <a href={verifyLink(email)}>{email}</a>
                <span class="soft small">{`${STATUS_WORDS[status]}: ${about}`}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}
