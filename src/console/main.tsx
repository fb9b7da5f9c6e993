import { render } from "preact"
import { App } from "./app.tsx"
import { keepFocus } from "./keep-focus.ts"
import { applyTheme } from "./theme.tsx"

const root = document.querySelector<HTMLElement>("#console")!
applyTheme()
keepFocus(root)
render(<App />, root)
