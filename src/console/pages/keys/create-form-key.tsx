import { useId, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Account, NewKey } from "../../api/shapes.ts"
import { Check, Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"

const WEBSITES = "Websites with the form"
const BUDGET = "Answers a day"
const LABELS = { allowed_origins: WEBSITES, daily_budget: BUDGET }
/** Wait for the mail server, in ms: the most that the API allows. */
const LIVE_TIMEOUT_MS = 3_000

/** Creates a publishable key, which is part of a page and only checks its forms. */
export function CreateFormKey({ account, onCreated }: { account: Account; onCreated: (key: NewKey) => void }) {
  const id = useId()
  const [websites, setWebsites] = useState("")
  const [budget, setBudget] = useState("1000")
  const [isLive, setLive] = useState(false)
  // Counts the keys made: the form is folded again for the next key.
  const [made, setMade] = useState(0)
  const { busy, problem, run } = useAction(async () => {
    const origins = websites.split(/\s+/).filter((line) => line !== "")
    const owner = { owner_email: account.email, tier: account.tier }
    const form = {
      kind: "publishable",
      allowed_origins: origins,
      daily_budget: Number(budget),
      live_timeout_ms: isLive ? LIVE_TIMEOUT_MS : null,
    }
    const json = { name: `Form on ${origins[0] ?? ""}`.slice(0, 100), ...owner, ...form }
    const answer = await call<NewKey>("/keys", { method: "POST", json, labels: LABELS })
    if (!answer.ok) return answer.problem
    setWebsites("")
    setMade(made + 1)
    onCreated(answer.body)
    return null
  })
  return (
    <Panel title="Sign-up form" note="A key that is safe in a page: it only checks the addresses typed into your form.">
      <details key={made}>
        <summary>Create a key for a form</summary>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void run()
          }}
        >
          <div class="form-grid two">
            <div class="field">
              <label for={id}>{WEBSITES}</label>
              <textarea
                id={id}
                class="input"
                rows={2}
                spellcheck={false}
                autoCapitalize="off"
                placeholder="https://shop.example.org"
                value={websites}
                onInput={(event) => setWebsites(event.currentTarget.value)}
                aria-describedby={`${id}-hint`}
                required
              />
              <small id={`${id}-hint`}>One per line. Pages of other websites get no answer.</small>
            </div>
            <Field
              label={BUDGET}
              kind="numeric"
              value={budget}
              onValue={setBudget}
              hint="A stolen key gets at most these."
              required
            />
          </div>
          <Check
            label="Probe the mail server"
            hint="Finds missing mailboxes, within 3 seconds and at a credit each."
            checked={isLive}
            onChecked={setLive}
          />
          <div>
            <SubmitButton label="Create form key" busy={busy} />
          </div>
        </form>
        <ProblemNotice problem={problem} />
      </details>
    </Panel>
  )
}
