import { useState } from "preact/hooks"
import type { EndpointEvent } from "../../../../schema/vocabulary.ts"
import { call, type Problem } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { AccountEndpoint } from "../../api/shapes.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { Check, Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { CHOICES } from "./words.ts"

interface EndpointFormProps {
  /** Null to add one. */
  readonly endpoint: AccountEndpoint | null
  readonly onSaved: () => void
  readonly onClose: () => void
}

const BY_DEFAULT: readonly EndpointEvent[] = ["job.completed", "job.failed"]
const NO_EVENT: Problem = { status: 422, message: "Choose at least one event.", requestId: null }

/** A dialog that adds a webhook or changes its events and note. The URL of a webhook stays. */
export function EndpointForm({ endpoint, onSaved, onClose }: EndpointFormProps) {
  const [url, setUrl] = useState("")
  const [events, setEvents] = useState<readonly EndpointEvent[]>(endpoint?.events ?? BY_DEFAULT)
  const [description, setDescription] = useState(endpoint?.description ?? "")
  const { busy, problem, run } = useAction(async () => {
    if (events.length === 0) return NO_EVENT
    const json = { events, description: description.trim() }
    const answer = endpoint
      ? await call(`/webhooks/endpoints/${endpoint.endpoint_id}`, { method: "PATCH", json })
      : await call("/webhooks/endpoints", { method: "POST", json: { ...json, url: url.trim() } })
    if (!answer.ok) return inFormWords(answer.problem)
    onSaved()
    onClose()
    return null
  })
  const choose = (event: EndpointEvent, isChosen: boolean) =>
    setEvents(isChosen ? [...events, event] : events.filter((other) => other !== event))
  return (
    <Dialog title={endpoint ? "Edit webhook" : "Add webhook"} onClose={onClose}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        {endpoint ? (
          <p class="break">
            <b>{endpoint.url}</b>
          </p>
        ) : (
          <Field
            label="URL"
            placeholder="https://example.org/webhooks/mailverdict"
            hint="Of your own server: https, and open to the internet."
            value={url}
            onValue={setUrl}
            required
          />
        )}
        <fieldset class="event-choices">
          <legend>Events</legend>
          {CHOICES.map(([event, name, sentence]) => (
            <Check
              key={event}
              label={name}
              hint={sentence}
              checked={events.includes(event)}
              onChecked={(isChosen) => choose(event, isChosen)}
            />
          ))}
        </fieldset>
        <Field
          label="Note"
          placeholder="CRM, production"
          hint="Optional, for you."
          value={description}
          onValue={setDescription}
        />
        <ProblemNotice problem={problem} />
        <div class="row">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <SubmitButton label={endpoint ? "Save" : "Add webhook"} busy={busy} />
        </div>
      </form>
    </Dialog>
  )
}

/** The problem with the names of the form's fields. */
function inFormWords(problem: Problem): Problem {
  const message = problem.message
    .replace(/\burl: /g, "URL: ")
    .replace(/\bdescription: /g, "Note: ")
    .replace("The account already has an endpoint with this URL", "You already have a webhook with this URL")
  return { ...problem, message }
}
