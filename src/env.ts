import type { z } from "zod"
import { importSigningKey, importTrustedKey, publicKeyOf } from "../schema/wire/keys.ts"
import { createDigests, createSealer } from "./domain/accounts/crypto.ts"
import { limitsOf } from "./domain/accounts/tiers.ts"
import { isSet, type ListSource, Settings } from "./settings.ts"

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

/** The bindings of the platform: variables and secrets as text, everything else by its own type. */
export interface Bindings {
  /** Durable Object namespace of the rate limiters. */
  readonly KEY_GATE: unknown
  /** KV namespace of the read model. */
  readonly CACHE: unknown
  /** Durable Object namespace of the single flight: one of many equal requests does the work. */
  readonly FLIGHT: unknown
  /** The Worker's own entry point for webhooks. Without it, webhooks are sent after the work of the same invocation. */
  readonly WEBHOOK_DISPATCHER?: unknown
  /** Proxy for outgoing calls; without it the platform's fetch. */
  readonly OUTBOUND?: { readonly fetch: typeof fetch }
  /** Proxy for calls to hosts that callers name: public addresses only. */
  readonly OUTBOUND_PUBLIC?: { readonly fetch: typeof fetch }
  /** The host process of `npm start`, which reports the disk. Missing at Cloudflare. */
  readonly HOST?: { readonly fetch: typeof fetch }
  readonly ASSETS: { fetch(request: Request | string): Promise<Response> }
  readonly [name: string]: unknown
}

export type ConfigResult = { ok: true; config: Config } | { ok: false; problems: string[] }

/** Reads and validates all settings. A problem names the setting, never its value. */
export async function readConfig(bindings: Record<string, unknown>): Promise<ConfigResult> {
  const given = Object.entries(bindings).filter(([name, value]) => isSet(name, value))
  const parsed = Settings.safeParse(Object.fromEntries(given))
  if (!parsed.success)
    return { ok: false, problems: parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) }
  const givenSettings = given.map(([name]) => name).filter((name) => name in Settings.shape)
  return { ok: true, config: { ...(await configOf(parsed.data)), givenSettings } }
}

/** The settings of the Worker in the form that adapters and services use. */
export interface Config extends Readonly<Awaited<ReturnType<typeof configOf>>> {
  /** Names of the settings that the operator gave; the others have their defaults. */
  readonly givenSettings: readonly string[]
}

export type ProviderUrls = Config["providerUrls"]

async function configOf(settings: Given) {
  const peppers = [settings.KEY_PEPPER, ...(settings.KEY_PEPPER_PREVIOUS ? [settings.KEY_PEPPER_PREVIOUS] : [])]
  const ownHosts = [new URL(settings.BASE_URL).hostname]
  return {
    libsql: { url: settings.LIBSQL_URL, authToken: settings.LIBSQL_AUTH_TOKEN, writes: settings.LIBSQL_WRITES },
    dohUrls: settings.DOH_URL as readonly string[],
    probeNodes: await Promise.all(
      settings.PROBE_NODES.map(async ({ public_keys, ...node }) => ({
        ...node,
        publicKeys: await Promise.all(public_keys.map(importTrustedKey)),
      })),
    ),
    rdapBootstrapUrl: settings.RDAP_BOOTSTRAP_URL,
    gravatarUrl: settings.GRAVATAR_URL,
    /** Null when the check is off. */
    msCredentialUrl: settings.MS_CREDENTIAL_CHECK === "1" ? settings.MS_CREDENTIAL_URL : null,
    webSandbox: settings.WEB_SANDBOX,
    signingKey: await importSigningKey(settings.EDGE_SIGNING_KEY),
    digests: await createDigests(peppers),
    sealer: await createSealer(peppers, (n) => crypto.getRandomValues(new Uint8Array(n))),
    limits: {
      ...limitsOf(settings.LIMITS.variant, settings.LIMITS.changes),
      anonymous: { perMinute: settings.ANONYMOUS_PER_MINUTE, perMonth: settings.ANONYMOUS_PER_MONTH },
    },
    /** Delays before each recheck of a deferred address, in ms. */
    recheckDelaysMs: settings.RECHECK_SECONDS as readonly number[],
    bulk: {
      retryDelaysMs: settings.BULK_RETRY_SECONDS as readonly number[],
      leaseMs: settings.BULK_LEASE_SECONDS * 1_000,
    },
    trustedAccounts: settings.ML_TRUSTED_ACCOUNTS,
    clientIpHeader: settings.CLIENT_IP_HEADER,
    logLevel: settings.LOG_LEVEL,
    /** Names under `.test` lead to the servers of `npm start`. Otherwise the Worker answers for them, for free. */
    hasSandbox: settings.SANDBOX === "1",
    /** Null when tracing is off. `ratio` of all requests, 0 to 1. */
    traces: readTraces(settings),
    /** Null without a mail API. */
    mail: readMail(settings),
    /** Null when payments are not configured. */
    stripe: readStripe(settings),
    /** Null without Google sign-in. */
    google: settings.GOOGLE_CLIENT_ID
      ? { clientId: settings.GOOGLE_CLIENT_ID, authUrl: settings.GOOGLE_AUTH_URL, jwksUrl: settings.GOOGLE_JWKS_URL }
      : null,
    adminSecret: settings.ADMIN_SECRET ?? null,
    baseUrl: settings.BASE_URL,
    /** Null without a breach service. */
    hibp: settings.HIBP_API_KEY ? { url: settings.HIBP_URL, apiKey: settings.HIBP_API_KEY } : null,
    /** The settings of each directory, or the names of the missing ones. `share`: what accounts may learn. */
    directories: {
      share: settings.DIRECTORY_SHARE,
      google: readGoogleDirectory(settings),
      microsoft: readMicrosoftDirectory(settings),
    },
    listSources: settings.LIST_SOURCES as readonly ListSource[],
    /** Base URLs of the providers that accounts connect. */
    providerUrls: {
      hubspotUrl: settings.HUBSPOT_URL,
      salesforceLoginUrl: settings.SALESFORCE_LOGIN_URL,
      /** Contains {dc}, the placeholder for the data center of the key. */
      mailchimpUrl: settings.MAILCHIMP_URL,
      klaviyoUrl: settings.KLAVIYO_URL,
      slackUrl: settings.SLACK_URL,
      zapierHosts: [...settings.ZAPIER_HOSTS] as readonly string[],
    },
    webhookRules: { allowHttp: settings.WEBHOOK_ALLOW_HTTP, allowHosts: settings.WEBHOOK_ALLOW_HOSTS, ownHosts },
    /** Rules for the URL of an enrolled node. */
    fleetRules: { allowHttp: false, allowHosts: settings.FLEET_ALLOW_HOSTS, ownHosts },
    canaryEveryMs: settings.CANARY_SECONDS * 1_000,
    /** The public key that nodes must trust, `<keyid>:<key>`. */
    edgePublicKey: await publicKeyOf(settings.EDGE_SIGNING_KEY),
  }
}
