import { useState } from "preact/hooks"
import { type Answer, call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Deliverability } from "../../api/shapes.ts"
import { Copy } from "../../parts/buttons.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { signInLink, verifyLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { asSentence } from "../../words.ts"
import { curlCommand } from "./curl.ts"
import { ReportWrongVerdict } from "./report.tsx"
import { isSuppressed } from "./sentence.ts"

interface ActionsProps {
  readonly result: Deliverability
  /** The body of the request. */
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
  const { busy, problem, run } = useAction(async () => {
    setDone("")
    const answer = await onCheckAgain()
    if (!answer.ok) return answer.problem
    setDone(answer.body.checks.cached ? TOO_NEW : "Checked again.")
    return null
  })
  function changed(message: string) {
    setDone(asSentence(message))
    onChange()
  }
  async function suppress() {
    const json = { email, reason: "manual", source: "console" }
    const answer = await call<{ message: string }>("/suppression/add", { method: "POST", json })
    if (!answer.ok) return answer.problem
    changed(answer.body.message)
    return null
  }
  return (
    <div class="stack">
      <div class="row">
        <button type="button" class="button" aria-disabled={busy} onClick={() => void run()}>
          {busy ? "Checking again" : "Check again"}
        </button>
        <Copy label="Copy cURL" text={curlCommand(location.origin, request)} />
        <Copy label="Copy JSON" text={JSON.stringify(result, null, 2)} />
        <Copy label="Copy link" text={`${location.origin}${location.pathname}${verifyLink(email)}`} />
        {account && result.checks.syntax_valid && (
          <>
            {isSuppressed(result) ? (
              <a class="button quiet" href="#/suppression">
                Manage its suppression
              </a>
            ) : (
              <Confirm label="Suppress" title="Suppress this address?" onConfirm={suppress}>
                <p>
                  <span class="break">{email}</span> gets <code>can_send: false</code> in every answer to your account.
                  You can remove it on the page <a href="#/suppression">Suppression</a>.
                </p>
              </Confirm>
            )}
            <ReportWrongVerdict email={email} onReported={changed} />
          </>
        )}
        {account === null && (
          <a class="small" href={signInLink()}>
            Sign in to suppress or report it
          </a>
        )}
      </div>
      <p role="status" class="small">
        {done}
      </p>
      <ProblemNotice problem={problem} />
    </div>
  )
}
