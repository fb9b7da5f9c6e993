import { useEffect, useRef } from "preact/hooks"

/**
 * Keeps the user on the current page of the console. A reload or a closed tab gets the browser's own warning.
 * @param onAttempt called when Back or a link would have left the page
 */
export function useStayHere(onAttempt: () => void): void {
  const latest = useRef(onAttempt)
  latest.current = onAttempt
  useEffect(() => {
    const { href } = location
    const { state } = history
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    function stay(event: HashChangeEvent) {
      // Before the listeners of the route, which would show the other page.
      event.stopImmediatePropagation()
      history.pushState(state, "", href)
      latest.current()
    }
    addEventListener("beforeunload", warn)
    addEventListener("hashchange", stay, { capture: true })
    return () => {
      removeEventListener("beforeunload", warn)
      removeEventListener("hashchange", stay, { capture: true })
    }
  }, [])
}
