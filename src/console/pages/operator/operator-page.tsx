import { Page } from "../../parts/page.tsx"
import { OPERATOR_PAGES } from "./pages.ts"

/** The entry to the operator's pages: the admin secret first, then what each page is for. */
export function OperatorPage() {
  return (
    <Page title="Operator" lead="Pages for the operator of this service." access="operator">
      <ul class="cards">
        {OPERATOR_PAGES.map(([step, title, purpose]) => (
          <li key={step} class="panel">
            <h2>
              <a href={`#/${step}`}>{title}</a>
            </h2>
            <p class="soft">{purpose}</p>
          </li>
        ))}
      </ul>
    </Page>
  )
}
