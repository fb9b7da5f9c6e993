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
export async function pointerReleased(): Promise<void> {
  await release
}
