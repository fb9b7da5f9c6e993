import { ForAccount, Page } from "../../parts/page.tsx"
import { EraseData } from "./erase-data.tsx"
import { ExportData } from "./export-data.tsx"
import { Retention } from "./retention.tsx"

export function DataPage() {
  return (
    <Page
      title="Data protection"
      lead="What your account stores about a person or a domain: export it, erase it, and see when it is deleted automatically."
    >
      <ForAccount>
        <div class="columns">
          <ExportData />
          <EraseData />
        </div>
        <Retention />
      </ForAccount>
    </Page>
  )
}
