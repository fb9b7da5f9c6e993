/** A submit is held for at most this time, in milliseconds. */
const HOLD_MS = 1_500

/** A field whose refused addresses stop the submit of its form. */
export interface GuardedField {
  readonly input: HTMLInputElement
  /** Whether the field needs no further answer: it is empty, or its check is over. */
  isSettled(): boolean
  /** Whether its address has the action `block`. */
  isBlocked(): boolean
  /** Resolves when the check of its address is over. */
  settle(): Promise<void>
}

type Submitter = HTMLButtonElement | HTMLInputElement

const fields = new Set<GuardedField>()
const held = new Set<HTMLFormElement>()
/** The form whose submit goes on after the hold. */
let resumed: HTMLFormElement | null = null

/** Guards the submits of a document or shadow root. Its listener comes before those of the page inside it. */
export function guardSubmits(root: Node): void {
  root.addEventListener("submit", onSubmit, true)
}

/** @returns a function that removes the guard of the field */
export function guardField(field: GuardedField): () => void {
  guardSubmits(field.input.getRootNode())
  fields.add(field)
  return () => fields.delete(field)
}

function onSubmit(event: Event) {
  const form = event.target as HTMLFormElement
  const submitter = (event as SubmitEvent).submitter as Submitter | null
  if (isExempt(form, submitter)) return
  const guarded = [...fields].filter(({ input }) => input.form === form && input.willValidate)
  const isStopped = held.has(form) || focusBlocked(guarded)
  const unsettled = form === resumed ? [] : guarded.filter((field) => !field.isSettled())
  if (!isStopped && unsettled.length === 0) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (!isStopped) void hold(form, submitter, unsettled)
}

/** A button that skips the browser's own validation skips the guard, and a dialog sends nothing (HTML, section 4.10.22). */
function isExempt(form: HTMLFormElement, submitter: Submitter | null): boolean {
  const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method")
  return submitter?.formNoValidate === true || method?.toLowerCase() === "dialog"
}

/** Waits for the answers, then submits as the visitor did. Edits in this time withdraw the submit. */
async function hold(form: HTMLFormElement, submitter: Submitter | null, unsettled: readonly GuardedField[]) {
  const textOf = () => unsettled.map(({ input }) => input.value).join("\n")
  const text = textOf()
  held.add(form)
  form.setAttribute("aria-busy", "true")
  const timeout = new Promise((resolve) => setTimeout(resolve, HOLD_MS))
  await Promise.race([timeout, Promise.all(unsettled.map((field) => field.settle()))])
  form.removeAttribute("aria-busy")
  held.delete(form)
  if (!form.isConnected || text !== textOf() || focusBlocked(unsettled)) return
  resumed = form
  try {
    form.requestSubmit(canSubmit(form, submitter) ? submitter : null)
  } finally {
    resumed = null
  }
}

/** The page may have changed the button meanwhile. */
function canSubmit(form: HTMLFormElement, submitter: Submitter | null): boolean {
  return submitter?.form === form && (submitter.type === "submit" || submitter.type === "image")
}

/** Moves the focus to the first blocked field. @returns whether there is one */
function focusBlocked(guarded: readonly GuardedField[]): boolean {
  const blocked = guarded.find((field) => field.input.willValidate && field.isBlocked())
  blocked?.input.focus()
  return blocked !== undefined
}
