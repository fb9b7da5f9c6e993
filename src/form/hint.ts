import type { FormAnswer } from "./checker.ts"

/** The message below a field, and what assistive technology reads of it. */
interface Hint {
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

/**
 * The hint below a field. `:where()` has no specificity, so that any rule of the page overrides these. The text has the
 * color of the page, in light and dark. The button has more specificity: rules for the page's buttons must not make it
 * look like a submit.
 */
const CSS = `
:where(.mailverdict-hint) {
  --mailverdict-mark: var(--mailverdict-fix, #1a73e8);
  margin-block: 0.375em 0;
  padding-inline-start: 0.625em;
  border-inline-start: 0.1875em solid var(--mailverdict-mark);
  color: var(--mailverdict-text, inherit);
  font-size: var(--mailverdict-font-size, 0.875em);
  line-height: 1.4;
  text-align: start;
  overflow-wrap: anywhere;
  flex-basis: 100%;
  grid-column: 1 / -1;
}
:where(.mailverdict-hint:empty) { position: absolute; margin: 0; padding: 0; border: 0; }
:where(.mailverdict-hint[data-action="warn"]) { --mailverdict-mark: var(--mailverdict-warn, #b26a00); }
:where(.mailverdict-hint[data-action="block"]) { --mailverdict-mark: var(--mailverdict-block, #d93025); }
.mailverdict-hint button {
  all: unset;
  display: inline-block;
  min-block-size: 1.75em;
  font-weight: 600;
  text-decoration: underline;
  cursor: pointer;
}
.mailverdict-hint button:focus-visible { outline: 0.125em solid currentColor; outline-offset: 0.125em; }
`

let sheet: CSSStyleSheet | undefined

/** Adds the styles to the page or shadow root of an element. A constructed sheet needs no `style-src` in a CSP. */
function addStyles(element: Element): void {
  const root = element.getRootNode()
  if (!(root instanceof Document || root instanceof ShadowRoot)) return
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS)
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
}
