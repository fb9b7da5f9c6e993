import { useState } from "preact/hooks"
import { browserStorage } from "./api/storage.ts"

const THEMES = ["auto", "light", "dark"] as const
type Theme = (typeof THEMES)[number]
const STORAGE_KEY = "mailverdict.theme"

const storedTheme = (): Theme => THEMES.find((name) => name === browserStorage.getItem(STORAGE_KEY)) ?? "auto"

/** Charts use a canvas instead of styles, so they redraw on this event. */
export const THEME_CHANGED = "themechanged"

export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === "auto") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  dispatchEvent(new Event(THEME_CHANGED))
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  function choose(next: Theme) {
    browserStorage.setItem(STORAGE_KEY, next)
    setTheme(next)
    applyTheme(next)
  }
  return (
    <fieldset class="tabs theme">
      <legend class="unseen">Colors</legend>
      {THEMES.map((name) => (
        <button type="button" key={name} aria-pressed={theme === name} onClick={() => choose(name)}>
          {name[0]?.toUpperCase()}
          {name.slice(1)}
        </button>
      ))}
    </fieldset>
  )
}
