import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { Field, Select, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"

const EVENTS = [
  ["hard_bounce", "My mail bounced: no such mailbox"],
  ["soft_bounce", "My mail bounced for now, such as a full mailbox"],
  ["received", "I received mail from this address"],
  ["spam_complaint", "The recipient complained about my mail"],
] as const
type Event = (typeof EVENTS)[number][0]

interface ReportProps {
  readonly email: string
  /** @param message what the service did */
  readonly onReported: (message: string) => void
}

/** A button and its form that reports what happened to mail. The report changes the verdict for this account. */
export function ReportWrongVerdict({ email, onReported }: ReportProps) {
  const [open, setOpen] = useState(false)
  const [event, setEvent] = useState<Event>("hard_bounce")
  const [text, setText] = useState("")
  const { busy, problem, run, clearProblem } = useAction(async () => {
    const answer = await report(email, event, text.trim())
    if (!answer.ok) return answer.problem
    close()
    onReported(answer.body.message)
    return null
  })
  function close() {
    setOpen(false)
    setText("")
    clearProblem()
  }
  return (
    <>
      <button type="button" class="button quiet" onClick={() => setOpen(true)}>
        Report a wrong verdict
      </button>
      {open && (
        <Dialog title="Report a wrong verdict" onClose={close}>
          <p>
            What happened to mail for <span class="break">{email}</span>? The report counts for your account only.
          </p>
          <form
            class="stack"
            onSubmit={(submit) => {
              submit.preventDefault()
              void run()
            }}
          >
            <Select label="What happened" value={event} options={EVENTS} onValue={setEvent} />
            {event.endsWith("bounce") && (
              <Field
                label="Bounce message"
                hint="Optional. Only its code is stored."
                placeholder="550 5.1.1 no such user"
                value={text}
                onValue={setText}
              />
            )}
            <ProblemNotice problem={problem} />
            <div class="row">
              <button type="button" class="button" onClick={close}>
                Cancel
              </button>
              <SubmitButton label="Report" busy={busy} busyLabel="Reporting" />
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

function report(email: string, event: Event, text: string) {
  if (event === "received")
    return call<{ message: string }>(`/received?${new URLSearchParams({ email, source: "console" })}`, {
      method: "POST",
    })
  const json = { email, bounce_type: event, ...(text === "" ? {} : { bounce_msg: text }) }
  return call<{ message: string }>("/bounce", { method: "POST", json, labels: { bounce_msg: "Bounce message" } })
}
