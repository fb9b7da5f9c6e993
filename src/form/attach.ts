import type { Check, FormAnswer, FormResult } from "./checker.ts"
import { addHint } from "./hint.ts"
import { guardField } from "./submit.ts"

export interface AttachOptions {
  /** Stop the form's submit while the field has an address with the action `block`. */
  readonly block?: boolean
  /** Language of the messages (BCP 47); by default that of the page. */
  readonly lang?: string | undefined
  /** Element that gets the hint; by default it stands after the field. */
  readonly container?: Element | null
  readonly onResult?: (result: FormResult) => void
  /** Called after the field left the page. */
  readonly onRemoved?: () => void
}

interface Running {
  readonly email: string
  readonly abort: AbortController
  readonly done: Promise<void>
}

/** Checks a field when it loses focus. @returns a function that detaches it */
export function attachTo(
  input: HTMLInputElement,
  check: Check,
  { block = false, lang, container = null, onResult, onRemoved }: AttachOptions,
): () => void {
  const hint = addHint(input, container, onRemoved)
  let running: Running | null = null
  /** The text of the last check that is over, and its answer. */
  let last: { readonly email: string; readonly answer: FormAnswer | null } | null = null
  const text = () => input.value.trim()
  const isSettled = () => text() === "" || last?.email === text()

  /** Checks the text, once: leaving a field fires `change` and `blur`. */
  async function checkNow(): Promise<void> {
    clearStale()
    const email = text()
    if (email === "" || (last?.answer && last.answer.reason !== "no_answer")) return
    if (!running) {
      const abort = new AbortController()
      running = { email, abort, done: run(email, abort.signal) }
    }
    await running.done
  }

  async function run(email: string, signal: AbortSignal) {
    const answer = await check(email, lang ?? (input.closest<HTMLElement>("[lang]")?.lang || undefined), signal)
    if (signal.aborted) return
    running = null
    if (email !== text()) return
    const isNew = answer !== last?.answer
    last = { email, answer }
    if (answer && isNew) void show({ ...answer, email })
  }

  async function show(result: FormResult) {
    await pointerReleased()
    if (last?.email !== result.email) return
    hint.show(result, () => take(result))
    input.dispatchEvent(new CustomEvent<FormResult>("mailverdict:result", { bubbles: true, detail: result }))
    onResult?.(result)
  }

  /** Fills in the suggestion as if the visitor had typed it, and returns to the field: its button is gone. */
  function take({ suggestion }: FormAnswer) {
    if (suggestion === null) return
    // A framework that overrides `value` on the element, such as React, only notices the prototype's setter.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, suggestion)
    input.dispatchEvent(new Event("input", { bubbles: true }))
    input.dispatchEvent(new Event("change", { bubbles: true }))
    input.focus()
  }

  /** Leaving the window fires the same events, but its visitor may be in the middle of typing. */
  function onLeave() {
    const isWindowLeft = !document.hasFocus() && (input.getRootNode() as Document | ShadowRoot).activeElement === input
    if (!isWindowLeft) void checkNow()
  }

  function stop() {
    running?.abort.abort()
    running = null
  }

  /** Ends what is about another text than that of the field. */
  function clearStale() {
    if (running && running.email !== text()) stop()
    if (last && last.email !== text()) {
      last = null
      hint.clear()
    }
  }

  const listening = new AbortController()
  const { signal } = listening
  for (const type of ["blur", "change"]) input.addEventListener(type, onLeave, { signal })
  input.addEventListener("input", clearStale, { signal })
  // The form empties its fields after the event.
  input.getRootNode().addEventListener("reset", () => void setTimeout(clearStale), { signal })
  const unguard = block
    ? guardField({
        input,
        isSettled,
        isBlocked: () => isSettled() && last?.answer?.action === "block",
        settle: checkNow,
      })
    : null

  return function detach() {
    stop()
    last = null
    listening.abort()
    unguard?.()
    hint.remove()
  }
}

let release: Promise<void> | null = null

/** The press on a button takes the focus from a field. The button must not move before the release, or no click follows. */
document.addEventListener(
  "pointerdown",
  ({ button }) => {
    if (button !== 0) return
    release ??= new Promise((resolve) => {
      const ends = new AbortController()
      const end = () => {
        ends.abort()
        // The click follows the release in the same task.
        setTimeout(() => {
          release = null
          resolve()
        })
      }
      for (const type of ["pointerup", "pointercancel"])
        document.addEventListener(type, end, { capture: true, signal: ends.signal })
    })
  },
  true,
)

/** Resolves when no pointer is pressed and the click of the last press is over. */
async function pointerReleased(): Promise<void> {
  await release
}
