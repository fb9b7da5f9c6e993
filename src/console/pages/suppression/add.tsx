import { useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { type Answer, call, type Problem } from "../../api/call.ts"
import type { Imported } from "../../api/shapes.ts"
import { Form, FormFields, useForm } from "../../parts/form.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { asSentence } from "../../words.ts"
import { ImportOutcome } from "./import.tsx"
import { REASONS, type Subject, subjectsIn, subjectText } from "./subjects.ts"

const WHOLE = /^[1-9]\d*$/
/** JSON would turn an invalid number into null, which suppresses permanently. */
const NO_DAYS: Problem = {
  status: 422,
  message: "Days must be a whole number. Leave it empty to suppress permanently.",
  requestId: null,
  faults: { days: "Days must be a whole number. Leave it empty to suppress permanently." },
}

/** Adds one or several addresses and domains. */
export function AddSuppression({ onChange }: { onChange: () => void }) {
  const [done, setDone] = useState<Done | null>(null)
  const form = useForm(
    {
      email: {
        label: "Addresses or domains, one per line",
        kind: "lines",
        hint: "example.com suppresses every address at that domain.",
        required: true,
      },
      reason: { label: "Reason", options: REASONS },
      days: { label: "Days", kind: "numeric", placeholder: "permanently" },
    },
    async ({ email: text, reason, days: period }) => {
      setDone(null)
      if (period !== "" && !WHOLE.test(period)) return NO_DAYS
      const subjects = subjectsIn(text)
      const [first] = subjects
      if (!first) return null
      const terms = { reason, period }
      const answer = await (subjects.length === 1 ? addOne(first, terms) : addAll(subjects, terms))
      if (!answer.ok) return answer.problem
      const faulty = "rejected" in answer.body ? answer.body.rejected.map(({ row }) => textOfRow(subjects, row)) : []
      setDone({ answer: answer.body, subjects })
      form.set({ email: faulty.join("\n") })
      onChange()
      return null
    },
  )
  return (
    <Panel title="Add">
      <Form of={form} submit="Add" names={["email"]}>
        <div class="row end">
          <FormFields of={form} names={["reason", "days"]} />
        </div>
      </Form>
      {done && <Outcome {...done} />}
    </Panel>
  )
}

type Added = Imported | { readonly message: string }

interface Done {
  readonly answer: Added
  readonly subjects: readonly Subject[]
}

/** What was added. Faulty lines are named by their text, and stay in the form to be corrected. */
function Outcome({ answer, subjects }: Done) {
  if (!("rejected" in answer)) return <Notice tone="valid" title={asSentence(answer.message)} />
  return <ImportOutcome imported={answer} nameOf={(row) => textOfRow(subjects, row)} />
}

/** @param row of the table that `addAll` sends, counted from 1 with its header */
const textOfRow = (subjects: readonly Subject[], row: number): string => subjectText(subjects[row - 2]!)

interface Terms {
  readonly reason: SuppressionReason
  /** Days; empty without an end. */
  readonly period: string
}

function addOne(subject: Subject, { reason, period }: Terms): Promise<Answer<Added>> {
  const expires = period === "" ? {} : { expires_in_days: Number(period) }
  const json = { ...subject, reason, source: "console", ...expires }
  return call<{ message: string }>("/suppression/add", { method: "POST", json, labels: { email: "Address" } })
}

/** Sends a table, because the service reports each of its rows. */
function addAll(subjects: readonly Subject[], { reason, period }: Terms) {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
  const rows = subjects.map((one) =>
    "email" in one ? [cell(one.email), "", period] : ["", cell(`*@${one.domain}`), period],
  )
  const body = [["email", "domain", "expires_in_days"], ...rows].map((row) => row.join(",")).join("\r\n")
  const query = new URLSearchParams({ reason, source: "console" })
  return call<Imported>(`/suppression/import?${query}`, { method: "POST", body, contentType: "text/csv" })
}
