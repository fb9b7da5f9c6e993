import { useEffect, useState } from "preact/hooks"
import { change, type Problem, saveFile } from "../../api/call.ts"
import type { Account } from "../../api/shapes.ts"
import { recordSession } from "../../api/storage.ts"
import { ActionButton, DialogButton } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Panel, page } from "../../parts/page.tsx"
import { Facts, KeyName, Notice, useKeysById } from "../../parts/text.tsx"
import { go, signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { counted, plain } from "../../words.ts"

export const AccountPage = page(OwnAccount, {
  title: "Account",
  lead: "How you are signed in, a copy of your data, and how to delete the account.",
  access: "account",
})

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
  return (
    <Panel title="Signed in">
      <Facts
        facts={[
          ["Mailbox", email],
          ["Signed in by", key_id === null ? "Email link" : <SignInKey key="key" id={key_id} />],
          ["Plan", <OwnPlan key="plan" tier={tier} />],
          ["Account ID", <code key="id">{account_id}</code>],
        ]}
      />
      <div class="row">
        <ActionButton label="Sign out" onAct={signOut} />
      </div>
    </Panel>
  )
}

const OwnPlan = ({ tier }: Pick<Account, "tier">) => (
  <>
    {plain(tier)} (<a href="#/billing">Plans and billing</a>)
  </>
)

const SignInKey = ({ id }: { id: string }) => <KeyName id={id} of={useKeysById().get(id)} />

/** Mails a sign-in link. With a key, the link proves that the key's mailbox belongs to its holder. */
function ConfirmMailbox({ email }: { email: string }) {
  const [isSent, setSent] = useState(false)
  function send() {
    setSent(false)
    return change("/auth/request", { method: "POST", json: { email } }, () => setSent(true))
  }
  return (
    <Panel title="Confirm the mailbox">
      <p>
        An API key does not prove that <span class="break">{email}</span> is yours. A sign-in link does. Signed in by
        it, you can export the account, delete it, read invoices and decide about keys made in its name.
      </p>
      <div class="row">
        <ActionButton label="Email me a sign-in link" class="button primary" onAct={send} />
      </div>
      {isSent && (
        <Notice
          tone="valid"
          title="Check your inbox"
          text="If the mailbox can receive mail, a link is on its way. It works once and expires after 15 minutes."
        />
      )}
    </Panel>
  )
}

function EndSessions() {
  const { refresh } = useSession()
  const [ended, setEnded] = useState<number | null>(null)
  function end(keepsCurrent: boolean) {
    setEnded(null)
    const query = new URLSearchParams({ keep_current: String(keepsCurrent) })
    return change<{ ended: number }>(`/me/sessions?${query}`, { method: "DELETE" }, async (answer) => {
      if (keepsCurrent) return setEnded(answer.ended)
      recordSession(false)
      await refresh()
    })
  }
  return (
    <Panel title="Sessions">
      <p>
        Signs out browsers and programs that signed in to this account, as after a lost device. API keys keep working.
      </p>
      <div class="row">
        <ActionButton label="End all other sessions" onAct={() => end(true)} />
        <ActionButton label="End all sessions" onAct={() => end(false)} />
      </div>
      {ended !== null && <Notice tone="valid" title={`${counted(ended, "other session")} ended`} />}
    </Panel>
  )
}

const ExportAccount = ({ account }: { account: Account }) => (
  <Panel title="Export" note="JSON, without secrets">
    <p>Everything that is stored about the account, as one file.</p>
    {account.signed_in_by === "key" ? (
      <p class="soft">An API key cannot export the account. Sign in by email first.</p>
    ) : (
      <div class="row">
        <ActionButton
          label="Export the account"
          busyLabel="Exporting"
          onAct={() => saveFile("/me/export", `mailverdict-${account.account_id}.json`)}
        />
      </div>
    )}
  </Panel>
)

const DeleteAccount = ({ account }: { account: Account }) => (
  <Panel title="Delete the account">
    <p>Erases the account with its lists, results, keys and settings. This cannot be undone.</p>
    {account.signed_in_by === "key" ? (
      <p class="soft">An API key cannot delete the account. Sign in by email first.</p>
    ) : (
      <div>
        <DialogButton label="Delete the account" title="Delete the account?" class="button danger">
          {(close) => <Deletion email={account.email} onClose={close} />}
        </DialogButton>
      </div>
    )}
  </Panel>
)

/** Deletes only after the mailbox is typed. */
function Deletion({ email, onClose }: { email: string; onClose: () => void }) {
  const { refresh } = useSession()
  const form = useForm(
    { confirm: { label: "Type your mailbox", hint: email, kind: "email", required: true } },
    async (typed) => {
      const problem = await change(`/me?${new URLSearchParams(typed)}`, { method: "DELETE" }, async () => {
        recordSession(false)
        onClose()
        go("#/")
        await refresh()
      })
      return problem && inWords(problem)
    },
  )
  return (
    <>
      <ul class="bullets">
        <li>Its lists, results, suppressions, webhooks and integrations are erased.</li>
        <li>Its keys and sessions stop working at once. Programs that use a key fail.</li>
        <li>Bought credits that are left are lost.</li>
        <li>This cannot be undone. Export the account first to keep a copy.</li>
      </ul>
      <Form of={form} submit="Delete the account" isDanger onCancel={onClose}>
        {form.problem?.status === 403 && <a href={signInLink()}>Sign in again</a>}
        {form.problem?.status === 409 && <a href="#/billing">Cancel the subscription</a>}
      </Form>
    </>
  )
}

const WORDS: Readonly<Record<number, string>> = {
  400: "This is not the mailbox of the account.",
  403: "Your sign-in is older than 15 minutes. Sign in again, then delete the account.",
  409: "A subscription is running. Cancel it first, so that you are not charged again.",
}

/** A known problem in other words, which concern the whole form. */
const inWords = ({ faults, ...problem }: Problem): Problem =>
  WORDS[problem.status] ? { ...problem, message: WORDS[problem.status]! } : { ...problem, ...(faults && { faults }) }
