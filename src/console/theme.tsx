import { useState } from "preact/hooks"
import { browserStorage } from "./api/storage.ts"

const THEMES = ["auto", "light", "dark"] as const
type Theme = (typeof THEMES)[number]
const KEPT = "mailverdict.theme"

const kept = (): Theme => THEMES.find((one) => one === browserStorage.getItem(KEPT)) ?? "auto"

/** Charts are painted, not styled: they listen for this. */
export const THEME_CHANGED = "themechanged"

export function applyTheme(theme: Theme = kept()): void {
  if (theme === "auto") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  dispatchEvent(new Event(THEME_CHANGED))
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(kept)
  function choose(next: Theme) {
    browserStorage.setItem(KEPT, next)
    setTheme(next)
    applyTheme(next)
  }
  return (
    <fieldset class="tabs theme">
      <legend class="unseen">Colours</legend>
      {THEMES.map((one) => (
        <button type="button" key={one} aria-pressed={theme === one} onClick={() => choose(one)}>
          {one[0]?.toUpperCase()}
          {one.slice(1)}
        </button>
      ))}
    </fieldset>
  )
}
