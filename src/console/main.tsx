import { render } from "preact"
import { App } from "./app.tsx"
import { restoreFocus } from "./restore-focus.ts"
import { markArrival } from "./route.ts"
import { applyTheme } from "./theme.tsx"

const root = document.querySelector<HTMLElement>("#console")!
markArrival()
applyTheme()
restoreFocus(root)
render(<App />, root)
