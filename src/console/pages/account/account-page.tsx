import { useEffect } from "preact/hooks"
import { useAction } from "../../api/load.ts"
import type { Account } from "../../api/shapes.ts"
import { KeyName, useKeysById } from "../../parts/key-name.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { ForAccount, Page, Panel } from "../../parts/page.tsx"
import { useSession } from "../../session.tsx"
import { plain } from "../../words.ts"
import { ConfirmMailbox } from "./confirm-mailbox.tsx"
import { DeleteAccount } from "./delete-account.tsx"
import { EndSessions } from "./end-sessions.tsx"
import { ExportAccount } from "./export-account.tsx"

export function AccountPage() {
  return (
    <Page title="Account" lead="How you are signed in, a copy of your data, and how to delete the account.">
      <ForAccount>
        <OwnAccount />
      </ForAccount>
    </Page>
  )
}

function OwnAccount() {
  const { account, refresh } = useSession()
  // The plan may have changed since the console was opened.
  useEffect(() => void refresh(), [refresh])
  if (!account) return null
  return (
    <>
      <SignedIn account={account} />
      {account.signed_in_by === "key" ? <ConfirmMailbox email={account.email} /> : <EndSessions />}
      <ExportAccount account={account} />
      <DeleteAccount account={account} />
    </>
  )
}

function SignedIn({ account: { account_id, email, tier, key_id } }: { account: Account }) {
  const { signOut } = useSession()
  const { busy, problem, run } = useAction(signOut)
  return (
    <Panel title="Signed in">
      <dl class="facts">
        <dt>Mailbox</dt>
        <dd class="break">{email}</dd>
        <dt>Signed in by</dt>
        <dd class="break">{key_id === null ? "Email link" : <SignInKey id={key_id} />}</dd>
        <dt>Plan</dt>
        <dd>
          {plain(tier)} (<a href="#/billing">Plans and billing</a>)
        </dd>
        <dt>Account ID</dt>
        <dd class="break">
          <code>{account_id}</code>
        </dd>
      </dl>
      <div>
        <button type="button" class="button" aria-disabled={busy} onClick={() => void run()}>
          Sign out
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}

function SignInKey({ id }: { id: string }) {
  return <KeyName id={id} of={useKeysById().get(id)} />
}
