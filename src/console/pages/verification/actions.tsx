import { useState } from "preact/hooks"
import { type Answer, change } from "../../api/call.ts"
import type { Deliverability } from "../../api/shapes.ts"
import { ActionButton, Confirm, Copy, DialogButton, Link } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { signInLink, verifyLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { asSentence } from "../../words.ts"
import { curlCommand } from "./examples.ts"
import { isSuppressed } from "./sentence.ts"

interface ActionsProps {
  readonly result: Deliverability
  readonly request: Readonly<Record<string, unknown>>
  /** Verifies again. @returns the problem, or whether the stored result was too new to replace */
  readonly onCheckAgain: () => Promise<Answer<Deliverability>>
  /** The account's flags of the address changed. */
  readonly onChange: () => void
}

const TOO_NEW = "The result is less than a minute old, so the mail server was not probed again."

/** What can be done with a verdict. The result of an action is a sentence below the buttons. */
export function Actions({ result, request, onCheckAgain, onChange }: ActionsProps) {
  const { email } = result.checks
  const { account } = useSession()
  const [done, setDone] = useState("")
  async function checkAgain() {
    setDone("")
    const answer = await onCheckAgain()
    if (!answer.ok) return answer.problem
    setDone(answer.body.checks.cached ? TOO_NEW : "Checked again.")
    return null
  }
  function changed({ message }: Reported) {
    setDone(asSentence(message))
    onChange()
  }
  const suppression = { email, reason: "manual", source: "console" }
  const suppress = () => change("/suppression/add", { method: "POST", json: suppression }, changed)
  return (
    <div class="stack">
      <div class="row">
        <ActionButton label="Check again" busyLabel="Checking again" onAct={checkAgain} />
        <Copy label="Copy cURL" text={curlCommand(location.origin, request)} />
        <Copy label="Copy JSON" text={JSON.stringify(result, null, 2)} />
        <Copy label="Copy link" text={`${location.origin}${location.pathname}${verifyLink(email)}`} />
        {account && result.checks.syntax_valid && (
          <>
            {isSuppressed(result) ? (
              <Link label="Manage its suppression" to="#/suppression" class="button quiet" />
            ) : (
              <Confirm label="Suppress" title="Suppress this address?" onConfirm={suppress}>
                <p>
                  <span class="break">{email}</span> gets <code>can_send: false</code> in every answer to your account.
                  You can remove it on the page <a href="#/suppression">Suppression</a>.
                </p>
              </Confirm>
            )}
            <DialogButton label="Report a wrong verdict" title="Report a wrong verdict">
              {(close) => <Report email={email} onReported={changed} onClose={close} />}
            </DialogButton>
          </>
        )}
        {account === null && <Link label="Sign in to suppress or report it" to={signInLink()} class="small" />}
      </div>
      <p role="status" class="small">
        {done}
      </p>
    </div>
  )
}

const EVENTS = [
  ["hard_bounce", "My mail bounced: no such mailbox"],
  ["soft_bounce", "My mail bounced for now, such as a full mailbox"],
  ["received", "I received mail from this address"],
  ["spam_complaint", "The recipient complained about my mail"],
] as const

interface Reported {
  readonly message: string
}

interface ReportProps {
  readonly email: string
  readonly onReported: (done: Reported) => void
  readonly onClose: () => void
}

/** Reports what happened to mail. The report changes the verdict for this account. */
function Report({ email, onReported, onClose }: ReportProps) {
  function handleReported(done: Reported) {
    onClose()
    onReported(done)
  }
  const form = useForm(
    {
      event: { label: "What happened", options: EVENTS },
      bounce_msg: {
        label: "Bounce message",
        hint: "Optional. Only its code is stored.",
        placeholder: "550 5.1.1 no such user",
      },
    },
    ({ event, bounce_msg }, labels) => {
      if (event === "received") {
        const query = new URLSearchParams({ email, source: "console" })
        return change(`/received?${query}`, { method: "POST" }, handleReported)
      }
      const json = { email, bounce_type: event, ...(bounce_msg && { bounce_msg }) }
      return change("/bounce", { method: "POST", json, labels }, handleReported)
    },
  )
  const isBounce = form.values.event.endsWith("bounce")
  return (
    <>
      <p>
        What happened to mail for <span class="break">{email}</span>? The report counts for your account only.
      </p>
      <Form
        of={form}
        submit="Report"
        busyLabel="Reporting"
        names={isBounce ? ["event", "bounce_msg"] : ["event"]}
        onCancel={onClose}
      />
    </>
  )
}
