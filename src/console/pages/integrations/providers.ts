import type { IntegrationOutcome, IntegrationProvider } from "../../../../schema/vocabulary.ts"
import type { IntegrationState, IntegrationSync } from "../../api/shapes.ts"
import { cleanSecret } from "../../api/storage.ts"
import type { Tone } from "../../parts/text.tsx"
import { count } from "../../words.ts"

/** A field of the form that connects a provider. */
interface ProviderField {
  readonly name: string
  readonly part: "credentials" | "settings"
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  readonly isSecret?: boolean
  readonly isRequired?: boolean
  /** The choices; the first is the default. */
  readonly options?: readonly (readonly [string, string])[]
}

interface ProviderForm {
  readonly title: string
  readonly purpose: string
  readonly fields: readonly ProviderField[]
  /** Whether it has contacts to verify. */
  readonly hasContacts: boolean
  /** A test of unsaved credentials would use them up. */
  readonly isTestedAfterConnecting?: boolean
}

const secret = (name: string, label: string, hint: string, isRequired = false): ProviderField => ({
  part: "credentials",
  name,
  label,
  hint,
  isSecret: true,
  isRequired,
})

/** @param options the first is the default */
const choice = (name: string, label: string, ...options: (readonly [string, string])[]): ProviderField => ({
  part: "settings",
  name,
  label,
  options,
})

const LIST_HINT = "The addresses of this list are verified"

export const PROVIDERS: Readonly<Record<IntegrationProvider, ProviderForm>> = {
  hubspot: {
    title: "HubSpot",
    purpose: "Verifies the contacts and writes status and score into two of their properties.",
    hasContacts: true,
    fields: [
      secret("access_token", "Access token", "The token of a private app or a service key: it starts with pat-", true),
      { part: "settings", name: "status_property", label: "Status property", placeholder: "mailverdict_status" },
      { part: "settings", name: "score_property", label: "Score property", placeholder: "mailverdict_score" },
    ],
  },
  salesforce: {
    title: "Salesforce",
    purpose: "Verifies contacts or leads and writes status and score into two custom fields.",
    hasContacts: true,
    isTestedAfterConnecting: true,
    fields: [
      secret("client_id", "Consumer key", "From the connected app, under Manage Consumer Details", true),
      secret("client_secret", "Consumer secret", "Required without a refresh token"),
      secret("refresh_token", "Refresh token", "From the OAuth flow of the connected app; needs no domain"),
      {
        part: "credentials",
        name: "domain",
        label: "Domain",
        placeholder: "https://example.my.salesforce.com",
        hint: "Required without a refresh token",
      },
      choice("object", "What is verified", ["Contact", "Contacts"], ["Lead", "Leads"]),
      { part: "settings", name: "status_field", label: "Status field", placeholder: "Mailverdict_Status__c" },
      { part: "settings", name: "score_field", label: "Score field", placeholder: "Mailverdict_Score__c" },
    ],
  },
  mailchimp: {
    title: "Mailchimp",
    purpose: "Verifies the members of an audience and tags or unsubscribes the unsafe ones.",
    hasContacts: true,
    fields: [
      secret("api_key", "API key of Mailchimp", "It ends with the data center, such as -us21", true),
      { part: "settings", name: "list_id", label: "Audience ID", isRequired: true, hint: LIST_HINT },
      choice("action", "Unsafe members", ["tag", "Tag them"], ["unsubscribe", "Unsubscribe them"]),
      { part: "settings", name: "tag", label: "Tag", placeholder: "mailverdict-unsafe" },
    ],
  },
  klaviyo: {
    title: "Klaviyo",
    purpose: "Verifies the profiles of a list, writes properties and can suppress the unsafe ones.",
    hasContacts: true,
    fields: [
      secret("api_key", "Private API key", "It starts with pk_", true),
      { part: "settings", name: "list_id", label: "List ID", isRequired: true, hint: LIST_HINT },
      choice("action", "Unsafe profiles", ["properties", "Only write properties"], ["suppress", "Also suppress them"]),
    ],
  },
  slack: {
    title: "Slack",
    purpose: "Sends your messages to a channel.",
    hasContacts: false,
    fields: [
      secret("webhook_url", "Incoming webhook URL", "Either this URL, which has its own channel, or a bot token"),
      secret("bot_token", "Bot token", "It starts with xoxb- and needs the scope chat:write"),
      { part: "settings", name: "channel", label: "Channel", placeholder: "#mail", hint: "Only with a bot token" },
    ],
  },
  zapier: {
    title: "Zapier",
    purpose: "Starts a Zap with your data. A test sends a sample.",
    hasContacts: false,
    fields: [secret("hook_url", "Catch hook URL", "From Webhooks by Zapier. The URL is the secret", true)],
  },
}

/** The body of a test or a new integration. Empty fields are left out: the API has defaults for them. */
export function connectionOf(provider: IntegrationProvider, values: Readonly<Record<string, string>>) {
  const typed = (part: "credentials" | "settings") =>
    Object.fromEntries(
      PROVIDERS[provider].fields
        .filter((field) => field.part === part)
        .map(({ name, isSecret }) => [name, isSecret ? cleanSecret(values[name] ?? "") : (values[name] ?? "").trim()])
        .filter(([, value]) => value !== ""),
    )
  return { provider, credentials: typed("credentials"), settings: typed("settings") }
}

export const HEALTHS: Readonly<Record<IntegrationState["health"], readonly [Tone, string, string]>> = {
  ok: ["valid", "Working", "The provider answers as it should."],
  working: ["accent", "Sync under way", "Its contacts are being verified."],
  failing: ["invalid", "Not working", "The provider has never answered as it should. The last failure says why."],
  needs_attention: ["accept_all", "Needs attention", "It worked before. The last failure says what is wrong."],
  idle: ["unknown", "Idle", "Nothing happened in the last 24 hours."],
}

export const OUTCOMES: Readonly<Record<IntegrationOutcome, string>> = {
  ok: "OK",
  unauthorized: "Credentials rejected",
  refused: "Request rejected",
  rate_limited: "Rate limit reached",
  unreachable: "No answer",
  unreadable: "Unreadable answer",
  out_of_credits: "No credits left",
}

const NOTHING: Readonly<Record<NonNullable<IntegrationSync["wrote_nothing"]>, string>> = {
  no_contacts: "Nothing was written: the provider has no contacts with an address.",
  all_undecided: "Nothing was written: every address must be probed again. Verify the contacts again later.",
  all_rejected: "Nothing was written: the provider rejected every result. The events have its error.",
  undecided_and_rejected:
    "Nothing was written: some addresses must be probed again, and the provider rejected the other results.",
}

export const SYNC_STATES: Readonly<Record<IntegrationSync["state"], string>> = {
  queued: "Starts within a minute",
  running: "Running",
  waiting: "Waiting",
  out_of_credits: "Stopped: no credits left",
  failed: "Stopped",
  complete: "Contacts verified",
}

const contacts = (amount: number): string => (amount === 1 ? "1 contact" : `${count(amount)} contacts`)

/** "240 contacts read, 200 written, 12 unsafe, 240 credits used". */
export function syncCounts(sync: IntegrationSync): string {
  const parts = [
    `${contacts(sync.contacts)} read`,
    `${count(sync.written)} written`,
    `${count(sync.unsafe)} unsafe`,
    sync.undecided > 0 && `${count(sync.undecided)} to probe again`,
    sync.rejected > 0 && `${count(sync.rejected)} rejected by the provider`,
    `${sync.credits === 1 ? "1 credit" : `${count(sync.credits)} credits`} used`,
  ]
  return parts.filter(Boolean).join(", ")
}

/** Why a sync waits, has stopped or wrote nothing; null when there is nothing to explain. */
export const syncReason = ({ wrote_nothing, detail }: IntegrationSync): string | null =>
  wrote_nothing ? NOTHING[wrote_nothing] : detail

export const isRunning = ({ sync }: Pick<IntegrationState, "sync">): boolean =>
  sync !== null && (sync.state === "queued" || sync.state === "running" || sync.state === "waiting")
