/**
 * What has the focus and leaves the page, as a button may when it is pressed, hands it to the heading of its panel, or else of
 * the page: from nowhere the keyboard would begin at the top again.
 */
export function keepFocus(root: HTMLElement): void {
  let focused: Element | null = null
  let panel: Element | null = null
  root.addEventListener("focusin", ({ target }) => {
    focused = target as Element
    panel = focused.closest(".panel")
  })
  root.addEventListener("focusout", ({ target }) =>
    // Some browsers tell so of what leaves the page, too; a moment later it has left.
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
