import { render } from "preact"
import { App } from "./app.tsx"
import { catchGoogleReturn } from "./google-return.ts"
import { restoreFocus } from "./restore-focus.ts"
import { markArrival } from "./route.ts"
import { applyTheme } from "./theme.tsx"

const root = document.querySelector<HTMLElement>("#console")!
catchGoogleReturn()
markArrival()
applyTheme()
restoreFocus(root)
render(<App />, root)
