/**
 * What has the focus and leaves the page, as a button may when it is pressed, hands it to the page's heading: from nowhere
 * the keyboard would begin at the top again.
 */
export function keepFocus(root: HTMLElement): void {
  let focused: Element | null = null
  root.addEventListener("focusin", ({ target }) => {
    focused = target as Element
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
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true })
  }).observe(root, { childList: true, subtree: true })
}
