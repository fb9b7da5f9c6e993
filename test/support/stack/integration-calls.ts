import { expect } from "vitest"
import { PORTALS, REFRESH_TOKEN } from "../providers/connected-tools.ts"
import { KLAVIYO_KEY, KLAVIYO_LIST } from "../providers/klaviyo-server.ts"
import { MAILCHIMP_KEY, MAILCHIMP_LIST } from "../providers/mailchimp-server.ts"
import { SALESFORCE_APP } from "../providers/salesforce-server.ts"
import { until } from "../time/until.ts"
import { type TestKey, withKey } from "./account.ts"
import { call, postJson } from "./api.ts"

export interface SyncAnswer {
  readonly sync_id: string
  readonly state: string
  readonly detail: string | null
  readonly contacts: number
  readonly written: number
  readonly unsafe: number
  readonly credits: number
}
export interface StatusAnswer {
  readonly integrations: readonly {
    readonly integration_id: string
    readonly health: string
    readonly sync: SyncAnswer | null
  }[]
}
export interface EventsAnswer {
  readonly events: readonly { readonly event_id: string; readonly kind: string; readonly outcome: string }[]
  readonly next_cursor: string | null
}

export const post = <T = Record<string, unknown>>(key: TestKey, path: string, body: unknown) =>
  call<T>("POST", path, withKey(key, postJson(body)))
export const get = <T>(key: TestKey, path: string, at = path) => call<T>("GET", path, withKey(key, { at }))

export const HUBSPOT = { provider: "hubspot", credentials: { access_token: PORTALS.usual } }
export const CONNECTIONS: Readonly<Record<string, object>> = {
  hubspot: HUBSPOT,
  salesforce: { provider: "salesforce", credentials: { ...SALESFORCE_APP, refresh_token: REFRESH_TOKEN } },
  mailchimp: { provider: "mailchimp", credentials: { api_key: MAILCHIMP_KEY }, settings: { list_id: MAILCHIMP_LIST } },
  klaviyo: {
    provider: "klaviyo",
    credentials: { api_key: KLAVIYO_KEY },
    settings: { list_id: KLAVIYO_LIST, action: "suppress" },
  },
}

export async function connect(key: TestKey, connection: object): Promise<string> {
  const { status, body, text } = await post<{ integration_id: string }>(key, "/integrations", connection)
  expect(status, text).toBe(200)
  return body.integration_id
}

export async function syncAtItsEnd(key: TestKey): Promise<SyncAnswer> {
  const read = async () => (await get<StatusAnswer>(key, "/integrations/status")).body.integrations[0]?.sync
  const isOver = (sync: SyncAnswer | null | undefined) =>
    !!sync && !["queued", "running", "waiting"].includes(sync.state)
  return (await until(read, isOver, { everyMs: 100 }))!
}
