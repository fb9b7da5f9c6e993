import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import type { Account } from "../../api/shapes.ts"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"

/** Saves everything stored about the account as a file. */
export function ExportAccount({ account }: { account: Account }) {
  const { busy, problem, run } = useAction(() => saveFile("/me/export", `mailverdict-${account.account_id}.json`))
  return (
    <Panel title="Export" note="JSON, without secrets">
      <p>Everything that is stored about the account, as one file.</p>
      {account.signed_in_by === "key" ? (
        <p class="soft">An API key cannot export the account. Sign in by email first.</p>
      ) : (
        <div>
          <button type="button" class="button" aria-disabled={busy} onClick={() => void run()}>
            {busy ? "Exporting" : "Export the account"}
          </button>
        </div>
      )}
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
