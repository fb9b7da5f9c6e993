import type { FormAnswer } from "./answer.ts"
import { addStyles } from "./style.ts"

/** The message below a field, and what assistive technology reads of it. */
export interface Hint {
  /** @param onSuggestion takes the suggestion */
  show(answer: FormAnswer, onSuggestion: () => void): void
  clear(): void
  remove(): void
}

const DESCRIBED_BY = "aria-describedby"
let hints = 0

/**
 * Adds an empty hint to a field. It is a live region, so its message is announced and moves no focus.
 * @param onRemoved called after the field left the page
 */
export function addHint(input: HTMLInputElement, container: Element | null, onRemoved?: () => void): Hint {
  const hint = document.createElement("div")
  hint.className = "mailverdict-hint"
  hint.id = `mailverdict-hint-${++hints}`
  hint.dir = "auto"
  hint.setAttribute("role", "status")
  if (container) container.append(hint)
  else lastOfRow(input).after(hint)
  addStyles(hint)
  // The hint may be outside the form, which a page can remove.
  const presence = new ResizeObserver(() => {
    hint.hidden = !input.isConnected
    if (hint.hidden) onRemoved?.()
  })
  presence.observe(input)
  /** The page's own value of `aria-invalid`, while the hint replaces it. */
  let replaced: { readonly invalid: string | null } | null = null
  const changes = new MutationObserver(followPage)
  /** The page validates the field itself while the hint is shown. */
  function followPage() {
    replaced = { invalid: input.getAttribute("aria-invalid") }
  }

  /** The ids that describe the field, without the hint's. The page may change the others. */
  const others = () => (input.getAttribute(DESCRIBED_BY) ?? "").split(/\s+/).filter((id) => id !== "" && id !== hint.id)

  function clear() {
    hint.replaceChildren()
    if (changes.takeRecords().length > 0) followPage()
    changes.disconnect()
    if (replaced) setOrRemove(input, "aria-invalid", replaced.invalid)
    replaced = null
    setOrRemove(input, DESCRIBED_BY, others().join(" ") || null)
  }

  return {
    show({ action, reason, message, suggestion_label, lang }, onSuggestion) {
      clear()
      if (message === null) return
      hint.dataset.action = action
      hint.lang = lang
      hint.append(message)
      if (suggestion_label !== null) hint.append(" ", suggestionButton(suggestion_label, onSuggestion))
      input.setAttribute(DESCRIBED_BY, [...others(), hint.id].join(" "))
      if (action !== "block" && reason !== "invalid_syntax") return
      replaced = { invalid: input.getAttribute("aria-invalid") }
      input.setAttribute("aria-invalid", "true")
      changes.observe(input, { attributeFilter: ["aria-invalid"] })
    },
    clear,
    remove() {
      clear()
      presence.disconnect()
      hint.remove()
    },
  }
}

function setOrRemove(element: Element, name: string, value: string | null) {
  if (value === null) element.removeAttribute(name)
  else element.setAttribute(name, value)
}

function suggestionButton(label: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = label
  button.addEventListener("click", onClick)
  return button
}

/** The element to put the hint after: outside labels and rows, whose layout it would change. */
function lastOfRow(input: HTMLInputElement): Element {
  let last: Element = input
  for (let parent = input.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
    const { display, flexDirection } = getComputedStyle(parent)
    if (parent.localName !== "label" && !(display.includes("flex") && flexDirection.startsWith("row"))) break
    last = parent
  }
  return last
}
