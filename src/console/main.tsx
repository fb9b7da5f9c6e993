import { render } from "preact"
import { App } from "./app.tsx"
import { catchGoogleReturn, markArrival } from "./route.ts"
import { applyTheme } from "./theme.tsx"

const root = document.querySelector<HTMLElement>("#console")!
catchGoogleReturn()
markArrival()
applyTheme()
restoreFocus(root)
render(<App />, root)

/**
 * Moves the focus to the heading of the panel or page when the focused element is removed.
 * Without focus, keyboard navigation would start again at the top.
 */
function restoreFocus(root: HTMLElement): void {
  let focused: Element | null = null
  let panel: Element | null = null
  root.addEventListener("focusin", ({ target }) => {
    focused = target as Element
    panel = focused.closest(".panel")
  })
  root.addEventListener("focusout", ({ target }) =>
    // Some browsers also fire focusout for a removed element. A microtask later it is disconnected.
    queueMicrotask(() => {
      if (focused === target && focused?.isConnected) focused = null
    }),
  )
  new MutationObserver(() => {
    if (!focused || focused.isConnected) return
    focused = null
    if (document.activeElement !== document.body) return
    const ofPanel = panel?.isConnected ? panel.querySelector<HTMLElement>("h2") : null
    const heading = ofPanel ?? document.querySelector<HTMLElement>("main h1")
    if (!heading) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }).observe(root, { childList: true, subtree: true })
}
