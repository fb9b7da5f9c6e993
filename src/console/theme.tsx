import { useState } from "preact/hooks"
import { browserStorage } from "./api/storage.ts"
import { Tabs } from "./parts/buttons.tsx"

const THEMES = [
  ["auto", "Auto"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const
type Theme = (typeof THEMES)[number][0]
const STORAGE_KEY = "mailverdict.theme"

const storedTheme = (): Theme => THEMES.find(([name]) => name === browserStorage.getItem(STORAGE_KEY))?.[0] ?? "auto"

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
  return <Tabs label="Colors" value={theme} options={THEMES} onValue={choose} class="tabs theme" />
}
