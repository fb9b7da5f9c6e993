import { type AttachOptions, attachTo } from "./attach.ts"
import { type Check, type CheckerOptions, createChecker } from "./checker.ts"
import { guardSubmits } from "./submit.ts"

interface Options extends AttachOptions {
  /** A publishable key, by default that of the script's `data-key`. */
  readonly key?: string
  /** URL of `POST /form/verify`; by default at the script's origin. */
  readonly endpoint?: string
  /** Wait for an answer, in milliseconds. A submit waits less, so it may be longer than the key's live_timeout_ms. */
  readonly timeoutMs?: number
}

declare global {
  interface Window {
    Mailverdict?: { attach(input: HTMLInputElement, options?: Options): () => void }
  }
}

const TIMEOUT_MS = 4_000

const script = document.currentScript as HTMLScriptElement | null
const { key, selector = "input[type=email]", lang, timeout, block } = script?.dataset ?? {}
const defaults = {
  key: key ?? "",
  endpoint: new URL("form/verify", script?.src || location.href).href,
  timeoutMs: Number(timeout) || TIMEOUT_MS,
}

/** By their options, because fields with the same key share its answers and its pauses. */
const checkers = new Map<string, Check>()

function checkerFor(options: CheckerOptions): Check {
  const name = JSON.stringify(options)
  const check = checkers.get(name) ?? createChecker(options)
  checkers.set(name, check)
  return check
}

/** The functions that detach the attached fields. */
const attached = new WeakMap<HTMLInputElement, () => void>()

/** Checks a field of a page, from now on with these options. @returns a function that detaches it */
function attach(input: HTMLInputElement, { key, endpoint, timeoutMs, ...options }: Options = {}): () => void {
  attached.get(input)?.()
  const check = checkerFor({
    key: key ?? defaults.key,
    endpoint: endpoint ?? defaults.endpoint,
    timeoutMs: timeoutMs ?? defaults.timeoutMs,
  })
  const stop = attachTo(input, check, options)
  const detach = () => {
    stop()
    if (attached.get(input) === detach) attached.delete(input)
  }
  attached.set(input, detach)
  return detach
}

/** Fields are attached when they first get the focus or are submitted, and detached when they leave the page. */
function attachOnce(field: EventTarget | null) {
  if (!(field instanceof HTMLInputElement) || attached.has(field)) return
  // The guard knows one address of a field.
  if (!field.matches(selector) || field.multiple) return
  const detach = attach(field, { block: block !== undefined, lang, onRemoved: () => detach() })
}

/** A field named `elements` hides the form's own property. */
const elementsOf = (form: HTMLFormElement): Iterable<Element> =>
  Reflect.get(HTMLFormElement.prototype, "elements", form) as HTMLFormControlsCollection

// A second copy of the script would check each field twice.
if (!window.Mailverdict) {
  window.Mailverdict = { attach }
  if (key) watchPage()
}
document.dispatchEvent(new Event("mailverdict:ready"))

function watchPage() {
  if (block !== undefined) {
    // First, because a listener that is added during a submit misses it.
    document.addEventListener(
      "submit",
      ({ target }) => [...elementsOf(target as HTMLFormElement)].forEach(attachOnce),
      true,
    )
    guardSubmits(document)
  }
  document.addEventListener("focusin", ({ target }) => attachOnce(target))
  attachOnce(document.activeElement)
}
