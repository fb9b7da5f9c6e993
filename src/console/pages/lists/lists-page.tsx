import { ForAccount, Page } from "../../parts/page.tsx"
import { RecentLists } from "./recent-lists.tsx"
import { Upload } from "./upload.tsx"

export function ListsPage() {
  return (
    <Page title="Lists" lead="Upload a file and get it back with a verdict for each row.">
      <ForAccount>
        <Upload />
        <RecentLists />
      </ForAccount>
    </Page>
  )
}
