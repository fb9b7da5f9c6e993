import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { call, change, type Problem, useGet } from "../../api/call.ts"
import type { AskedAuthorization, DecidedAuthorization, DeviceSignIn, KeyScope } from "../../api/shapes.ts"
import { ActionButton, Link } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { LoadedPanel, Page, Panel } from "../../parts/page.tsx"
import { Ago, Facts, Notice } from "../../parts/text.tsx"
import { signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { days } from "../../words.ts"
import { scopesInWords } from "./key-words.ts"

/** Content for a session: an API key, which may be stolen, approves no program. */
function ForSession({ children }: { children: ComponentChildren }) {
  const { account } = useSession()
  if (account?.signed_in_by === "session") return <>{children}</>
  return (
    <Notice tone="accent" title="Sign in by email to decide">
      <p>An API key approves no program: only the owner of the account does.</p>
      <Link label="Sign in by email" to={signInLink()} class="button primary" />
    </Notice>
  )
}

/** What a program gets by an approval. */
function Rights({ scopes, lifetime }: { scopes: readonly KeyScope[]; lifetime: number }) {
  return (
    <>
      <h3>It will be able to</h3>
      <ul>
        {scopesInWords(scopes).map(([scope, name, sentence]) => (
          <li key={scope}>
            <b>{name}</b>: {sentence}
          </li>
        ))}
      </ul>
      <p class="soft small">
        It uses the credits of this account, by an API key that ends after {days(lifetime)}. You can revoke the key at
        any time on the page <a href="#/keys">API keys</a>. It cannot create keys, pay, or delete the account.
      </p>
    </>
  )
}

interface DecisionProps {
  /** @returns the problem, or null */
  readonly onDecide: (approve: boolean) => Promise<Problem | null>
}

/** Refuse comes first, so that a held Enter key approves nothing. */
const Decision = ({ onDecide }: DecisionProps) => (
  <div class="row">
    <ActionButton label="Refuse" onAct={() => onDecide(false)} />
    <ActionButton label="Approve" class="button primary" busyLabel="Approving" onAct={() => onDecide(true)} />
  </div>
)

/** Where a user enters the code that a program shows, as `mailverdict login` does. @param code of the link */
export function DevicePage({ code }: { code: string }) {
  return (
    <Page title="Sign in a program" lead="Enter the code that mailverdict login shows." access="account">
      <ForSession>
        <ByCode code={code} />
      </ForSession>
    </Page>
  )
}

function ByCode({ code }: { code: string }) {
  const [found, setFound] = useState<DeviceSignIn | null>(null)
  const [decided, setDecided] = useState<"approved" | "denied" | null>(null)
  const form = useForm(
    { user_code: { label: "Code", initial: code, placeholder: "WDJB-MJHT", required: true } },
    async ({ user_code }, labels) => {
      const answer = await call<DeviceSignIn>(`/oauth/device?${new URLSearchParams({ user_code })}`, { labels })
      if (!answer.ok) return answer.problem
      setFound(answer.body)
      return null
    },
  )
  if (decided === "approved")
    return <Notice tone="valid" title="Approved" text="The program signs in within seconds. You can close this page." />
  if (decided === "denied") return <Notice tone="accent" title="Refused" text="The program got no access." />
  if (!found) return <Form of={form} submit="Continue" busyLabel="Searching" layout="row" />
  const decide = (approve: boolean) =>
    change("/oauth/device", { method: "POST", json: { user_code: found.user_code, approve } }, () =>
      setDecided(approve ? "approved" : "denied"),
    )
  return (
    <Panel title="Does this program run on your machine?">
      <Facts
        facts={[
          ["Name", `${found.name} (not verified)`],
          ["Code", found.user_code],
          ["Requested", <Ago key="requested" at={found.requested_at} />],
        ]}
      />
      <p>
        Approve only if you ran <code>mailverdict login</code> yourself. If another person sent you this code, refuse:
        that person would get access to your account.
      </p>
      <Rights scopes={found.scopes} lifetime={found.lifetime_days} />
      <Decision onDecide={decide} />
    </Panel>
  )
}

/** Where an agent's client leads its user (OAuth 2.1). @param query the authorization request */
export function AuthorizePage({ query }: { query: string }) {
  return (
    <Page title="Connect a program" lead="A program asks for access to your account." access="account">
      <ForSession>
        <Asked query={query} />
      </ForSession>
    </Page>
  )
}

function Asked({ query }: { query: string }) {
  const load = useGet<AskedAuthorization>(`/oauth/authorization?${query}`)
  const { account } = useSession()
  // The program continues the moment the browser opens its URL, so nothing is left to do here.
  const decide = (approve: boolean) =>
    change<DecidedAuthorization>(
      "/oauth/authorization",
      { method: "POST", json: { ...Object.fromEntries(new URLSearchParams(query)), approve } },
      ({ redirect_to }) => location.assign(redirect_to),
    )
  return (
    <LoadedPanel title="Do you want to connect it?" of={load}>
      {({ name, redirect_host, scopes, lifetime_days }) => (
        <>
          <Facts
            facts={[
              ["Name", `${name} (not verified)`],
              ["Sends you to", `${redirect_host} (not verified)`],
              ["Account", account?.email ?? ""],
            ]}
          />
          <p>
            The program chose its name itself. Approve only if you began this in a program that you trust. On approval,
            this page sends a code to <b class="break">{redirect_host}</b>.
          </p>
          <Rights scopes={scopes} lifetime={lifetime_days} />
          <Decision onDecide={decide} />
        </>
      )}
    </LoadedPanel>
  )
}
