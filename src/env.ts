import type { z } from "zod"
import type { SandboxNetwork } from "../schema/wire/addresses.ts"
import {
  importSigningKey,
  importTrustedKey,
  publicKeyOf,
  type SigningKey,
  type TrustedKey,
} from "../schema/wire/keys.ts"
import { createDigests, type Digests } from "./domain/keys/digest.ts"
import { createSealer, type Sealer } from "./domain/keys/seal.ts"
import { type Allowance, LIMIT_TABLES, type LimitTable } from "./domain/plans/tiers.ts"
import type { TargetRules } from "./domain/webhooks/target-url.ts"
import { isSet, type ListSource, Settings } from "./settings.ts"

interface ProbeNodeSetting {
  readonly id: string
  readonly region: string
  readonly url: string
  readonly publicKeys: readonly TrustedKey[]
}

export interface Config {
  readonly libsql: { readonly url: string; readonly authToken: string | undefined }
  readonly dohUrls: readonly string[]
  readonly probeNodes: readonly ProbeNodeSetting[]
  readonly rdapBootstrapUrl: string | null
  readonly gravatarUrl: string | null
  /** Null: not switched on. */
  readonly msCredentialUrl: string | null
  readonly webSandbox: SandboxNetwork | null
  readonly signingKey: SigningKey
  readonly digests: Digests
  readonly sealer: Sealer
  readonly limits: { readonly table: LimitTable; readonly anonymous: Allowance }
  /** Waits before a server that asked us to come back is asked again, in ms. */
  readonly recheckDelaysMs: readonly number[]
  readonly bulk: { readonly retryDelaysMs: readonly number[]; readonly leaseMs: number }
  readonly trustedAccounts: ReadonlySet<string>
  readonly clientIpHeader: string
  readonly logLevel: "info" | "warn"
  /** Null: nothing is traced. `ratio` of all requests, 0 to 1. */
  readonly traces: ReturnType<typeof readTraces>
  /** Null when no mail can be sent. */
  readonly mail: ReturnType<typeof readMail>
  /** Null when payments are not configured. */
  readonly stripe: ReturnType<typeof readStripe>
  /** Null without sign-in by Google. */
  readonly google: { readonly clientId: string; readonly jwksUrl: string } | null
  readonly adminSecret: string | null
  readonly baseUrl: string
  /** Null without a breach service. */
  readonly hibp: { readonly url: string; readonly apiKey: string } | null
  /** Of each its settings, or the names of those that are missing. */
  readonly directories: {
    readonly google: ReturnType<typeof readGoogleDirectory>
    readonly microsoft: ReturnType<typeof readMicrosoftDirectory>
  }
  readonly providerPlaces: ProviderPlaces
  readonly webhookRules: TargetRules
  /** What the URL of an enrolled node may be. */
  readonly fleetRules: TargetRules
  readonly canaryEveryMs: number
  /** What a node must trust to be asked by us, `<keyid>:<key>`. */
  readonly edgePublicKey: string
  readonly listSources: readonly ListSource[]
}

/** Where the providers are that accounts connect. */
export interface ProviderPlaces {
  readonly hubspotUrl: string
  readonly salesforceLoginUrl: string
  /** With {dc} where the data centre of the key goes. */
  readonly mailchimpUrl: string
  readonly klaviyoUrl: string
  readonly slackUrl: string
  readonly zapierHosts: readonly string[]
}

type Given = z.infer<typeof Settings>

function readTraces(given: Given) {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  } = given
  return url ? { url, headers, ratio } : null
}

function readMail({ MAIL_API_URL: url, MAIL_API_KEY: key, MAIL_FROM: from }: Given) {
  return url && from ? { url, key, from } : null
}

function readStripe(given: Given) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = given
  if (!secretKey || !webhookSecret) return null
  return { secretKey, webhookSecret, apiUrl: given.STRIPE_API_URL, prices: given.STRIPE_PRICES }
}

function readGoogleDirectory({ GOOGLE_SERVICE_ACCOUNT, GOOGLE_ADMIN_SUBJECT, ...given }: Given) {
  if (!GOOGLE_SERVICE_ACCOUNT || !GOOGLE_ADMIN_SUBJECT)
    return { missing: unset({ GOOGLE_SERVICE_ACCOUNT, GOOGLE_ADMIN_SUBJECT }) }
  return {
    serviceAccount: GOOGLE_SERVICE_ACCOUNT,
    adminSubject: GOOGLE_ADMIN_SUBJECT,
    url: given.GOOGLE_DIRECTORY_URL,
    tokenUrl: given.GOOGLE_TOKEN_URL,
  }
}

function readMicrosoftDirectory({ MS_TENANT_ID, MS_CLIENT_ID, MS_CLIENT_SECRET, ...given }: Given) {
  if (!MS_TENANT_ID || !MS_CLIENT_ID || !MS_CLIENT_SECRET)
    return { missing: unset({ MS_TENANT_ID, MS_CLIENT_ID, MS_CLIENT_SECRET }) }
  return {
    tenantId: MS_TENANT_ID,
    clientId: MS_CLIENT_ID,
    clientSecret: MS_CLIENT_SECRET,
    url: given.MS_GRAPH_URL,
    loginUrl: given.MS_LOGIN_URL,
  }
}

function unset(settings: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(settings).filter((name) => !settings[name])
}

/** What the platform binds: plain variables and secrets as text, everything else by its own type. */
export interface Bindings {
  /** Durable Object namespace of the gates. */
  readonly KEY_GATE: unknown
  /** KV namespace of the read model. */
  readonly CACHE: unknown
  /** Durable Object namespace of what many want at once. */
  readonly FLIGHT: unknown
  /** The Worker itself, by its entry point for webhooks; without it they go out behind whatever work they come from. */
  readonly COURIER?: unknown
  /** How calls leave the Worker; without it as the platform does. */
  readonly OUTBOUND?: { readonly fetch: typeof fetch }
  /** How they leave to hosts that strangers name: to public addresses only. */
  readonly OUTBOUND_PUBLIC?: { readonly fetch: typeof fetch }
  readonly ASSETS: { fetch(request: Request | string): Promise<Response> }
  readonly [name: string]: unknown
}

export type ConfigResult = { ok: true; config: Config } | { ok: false; problems: string[] }

/** Reads and checks every setting at once; problems name the setting, never its value. */
export async function readConfig(bindings: Record<string, unknown>): Promise<ConfigResult> {
  const given = Object.entries(bindings).filter(([name, value]) => isSet(name, value))
  const parsed = Settings.safeParse(Object.fromEntries(given))
  if (!parsed.success)
    return { ok: false, problems: parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) }
  const settings = parsed.data
  const peppers = [settings.KEY_PEPPER, ...(settings.KEY_PEPPER_PREVIOUS ? [settings.KEY_PEPPER_PREVIOUS] : [])]
  const ownHosts = [new URL(settings.BASE_URL).hostname]
  const config: Config = {
    libsql: { url: settings.LIBSQL_URL, authToken: settings.LIBSQL_AUTH_TOKEN },
    dohUrls: settings.DOH_URL,
    probeNodes: await Promise.all(
      settings.PROBE_NODES.map(async ({ public_keys, ...node }) => ({
        ...node,
        publicKeys: await Promise.all(public_keys.map(importTrustedKey)),
      })),
    ),
    rdapBootstrapUrl: settings.RDAP_BOOTSTRAP_URL,
    gravatarUrl: settings.GRAVATAR_URL,
    msCredentialUrl: settings.MS_CREDENTIAL_CHECK === "1" ? settings.MS_CREDENTIAL_URL : null,
    webSandbox: settings.WEB_SANDBOX,
    signingKey: await importSigningKey(settings.EDGE_SIGNING_KEY),
    digests: await createDigests(peppers),
    sealer: await createSealer(peppers, (n) => crypto.getRandomValues(new Uint8Array(n))),
    limits: {
      table: LIMIT_TABLES[settings.LIMITS],
      anonymous: { perMinute: settings.ANONYMOUS_PER_MINUTE, perMonth: settings.ANONYMOUS_PER_MONTH },
    },
    recheckDelaysMs: settings.RECHECK_SECONDS,
    bulk: { retryDelaysMs: settings.BULK_RETRY_SECONDS, leaseMs: settings.BULK_LEASE_SECONDS * 1_000 },
    trustedAccounts: settings.ML_TRUSTED_ACCOUNTS,
    clientIpHeader: settings.CLIENT_IP_HEADER,
    logLevel: settings.LOG_LEVEL,
    traces: readTraces(settings),
    mail: readMail(settings),
    stripe: readStripe(settings),
    google: settings.GOOGLE_CLIENT_ID
      ? { clientId: settings.GOOGLE_CLIENT_ID, jwksUrl: settings.GOOGLE_JWKS_URL }
      : null,
    adminSecret: settings.ADMIN_SECRET ?? null,
    baseUrl: settings.BASE_URL,
    hibp: settings.HIBP_API_KEY ? { url: settings.HIBP_URL, apiKey: settings.HIBP_API_KEY } : null,
    directories: { google: readGoogleDirectory(settings), microsoft: readMicrosoftDirectory(settings) },
    listSources: settings.LIST_SOURCES,
    providerPlaces: {
      hubspotUrl: settings.HUBSPOT_URL,
      salesforceLoginUrl: settings.SALESFORCE_LOGIN_URL,
      mailchimpUrl: settings.MAILCHIMP_URL,
      klaviyoUrl: settings.KLAVIYO_URL,
      slackUrl: settings.SLACK_URL,
      zapierHosts: [...settings.ZAPIER_HOSTS],
    },
    webhookRules: { allowHttp: settings.WEBHOOK_ALLOW_HTTP, allowHosts: settings.WEBHOOK_ALLOW_HOSTS, ownHosts },
    fleetRules: { allowHttp: false, allowHosts: settings.FLEET_ALLOW_HOSTS, ownHosts },
    canaryEveryMs: settings.CANARY_SECONDS * 1_000,
    edgePublicKey: await publicKeyOf(settings.EDGE_SIGNING_KEY),
  }
  return { ok: true, config }
}
