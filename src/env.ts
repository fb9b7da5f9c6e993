import { z } from "zod"
import { importSigningKey, importTrustedKey, type SigningKey, type TrustedKey } from "../schema/wire/keys.ts"
import { createDigests, type Digests } from "./domain/keys/digest.ts"
import { createSealer, type Sealer } from "./domain/keys/seal.ts"
import { parseWebSandbox, type WebSandbox } from "./domain/limits/web-network.ts"
import { type Allowance, LIMIT_TABLES, type LimitTable } from "./domain/plans/tiers.ts"
import type { TargetRules } from "./domain/webhooks/target-url.ts"

/** The base URL of an optional provider; empty switches it off. */
const providerUrl = (byDefault: string) =>
  z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .default(byDefault)
    .transform((url) => url || null)

/** Hosts in a list with commas or blanks. */
function readHosts(list: string): ReadonlySet<string> {
  return new Set(list.toLowerCase().match(/[^\s,]+/g) ?? [])
}

/** The settings of the Worker. Their names are a contract (README "Settings", .env.example). */
const Settings = z.object({
  LIBSQL_URL: z.url({ protocol: /^(https?|libsql)$/ }),
  LIBSQL_AUTH_TOKEN: z.string().optional(),
  DOH_URL: z
    .string()
    .default("https://cloudflare-dns.com/dns-query,https://dns.google/dns-query")
    .transform((list) => list.split(",").map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1)),
  PROBE_NODES: z
    .string()
    .default("[]")
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: "custom", message: "is not JSON" })
        return z.NEVER
      }
    })
    .pipe(
      z.array(
        z.object({
          id: z.string().regex(/^[\w.-]{1,64}$/),
          region: z.string().min(1).max(64),
          url: z.url({ protocol: /^https?$/ }),
          public_keys: z.array(z.string()).min(1).max(2),
        }),
      ),
    ),
  EDGE_SIGNING_KEY: z.string(),
  KEY_PEPPER: z.string().min(32, "needs at least 32 characters of secret"),
  KEY_PEPPER_PREVIOUS: z.string().min(32, "needs at least 32 characters of secret").optional(),
  ADMIN_SECRET: z.string().min(32, "needs at least 32 characters of secret").optional(),
  RDAP_BOOTSTRAP_URL: providerUrl("https://data.iana.org/rdap/dns.json"),
  GRAVATAR_URL: providerUrl("https://gravatar.com/avatar"),
  /** Microsoft's sign-in page as a weak sign that a mailbox exists: off unless both are set. */
  MS_CREDENTIAL_CHECK: z.enum(["0", "1"]).default("0"),
  MS_CREDENTIAL_URL: providerUrl(""),
  /** A private network whose addresses stand for web servers, and their port: tests and the sandbox internet. */
  WEB_SANDBOX: z
    .string()
    .optional()
    .transform((text, context) => {
      const sandbox = text ? parseWebSandbox(text) : null
      if (text && !sandbox) context.addIssue({ code: "custom", message: "is not written <network>:<port>" })
      return sandbox
    }),
  LOG_LEVEL: z.enum(["info", "warn"]).default("info"),
  LIMITS: z.enum(["tiers", "plans"]).default("tiers"),
  /** When the held-up addresses of a job are asked again, in seconds after each pass. */
  RECHECK_SECONDS: z
    .string()
    .regex(/^\d{1,5}(,\d{1,5}){0,4}$/)
    .default("360,1800,14400"),
  BULK_RETRY_SECONDS: z
    .string()
    .regex(/^\d{1,5}(,\d{1,5}){0,4}$/)
    .default("360,1800"),
  /** How long a part of a job belongs to whoever took it. */
  BULK_LEASE_SECONDS: z.coerce.number().int().min(5).max(900).default(180),
  ANONYMOUS_PER_MINUTE: z.coerce.number().int().min(0).default(20),
  ANONYMOUS_PER_MONTH: z.coerce.number().int().min(0).default(100),
  /** Accounts whose feedback the model takes at its word, however much of it there is; "*" for all: an installation of one's own. */
  ML_TRUSTED_ACCOUNTS: z
    .string()
    .default("")
    .transform((list) => new Set(list.split(/[\s,]+/).filter((id) => id !== ""))),
  /** The header in which the platform or the own proxy states the client's address; empty when there is none to trust. */
  CLIENT_IP_HEADER: z.string().toLowerCase().default("cf-connecting-ip"),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.stripe.com"),
  /** Price ids as JSON: {"starter": "price_…", "pro": "price_…", "credits_10000": "price_…"}. */
  STRIPE_PRICES: jsonSetting(z.record(z.string(), z.string())).default({}),
  MAIL_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  MAIL_API_KEY: z.string().optional(),
  MAIL_FROM: z.string().optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_JWKS_URL: z.url({ protocol: /^https?$/ }).default("https://www.googleapis.com/oauth2/v3/certs"),
  BASE_URL: z.url({ protocol: /^https?$/ }).default("http://127.0.0.1:8787"),
  HIBP_URL: z.url({ protocol: /^https?$/ }).default("https://haveibeenpwned.com/api/v3"),
  HIBP_API_KEY: z.string().optional(),
  GOOGLE_SERVICE_ACCOUNT: z
    .string()
    .optional()
    .transform((text, context) => {
      const account = text ? readServiceAccount(text) : null
      if (text && !account) context.addIssue({ code: "custom", message: "is not the JSON key of a service account" })
      return account
    }),
  GOOGLE_ADMIN_SUBJECT: z.string().optional(),
  GOOGLE_DIRECTORY_URL: z.url({ protocol: /^https?$/ }).default("https://admin.googleapis.com/admin/directory/v1"),
  GOOGLE_TOKEN_URL: z.url({ protocol: /^https?$/ }).default("https://oauth2.googleapis.com/token"),
  MS_TENANT_ID: z.string().optional(),
  MS_CLIENT_ID: z.string().optional(),
  MS_CLIENT_SECRET: z.string().optional(),
  MS_GRAPH_URL: z.url({ protocol: /^https?$/ }).default("https://graph.microsoft.com/v1.0"),
  MS_LOGIN_URL: z.url({ protocol: /^https?$/ }).default("https://login.microsoftonline.com"),
  /** JSON list of {name, class, url}; read when the lists are refreshed. */
  LIST_SOURCES: z.string().optional(),
  WEBHOOK_ALLOW_HTTP: z.stringbool().default(false),
  /** Hosts, with or without their port, that webhooks may go to although the rules say no: own networks and tests. */
  WEBHOOK_ALLOW_HOSTS: z.string().default("").transform(readHosts),
})

const ServiceAccount = z.object({ client_email: z.string().min(1), private_key: z.string().min(1) })

/** The JSON key file of a Google service account; null when it is none. */
function readServiceAccount(text: string): GoogleServiceAccount | null {
  try {
    const { client_email, private_key } = ServiceAccount.parse(JSON.parse(text))
    return { clientEmail: client_email, privateKey: private_key }
  } catch {
    return null
  }
}

export interface GoogleServiceAccount {
  readonly clientEmail: string
  readonly privateKey: string
}

/** The settings of an optional part, or the names of those that are missing. */
export type Optional<T> = T | { readonly missing: readonly string[] }

export interface ProbeNodeSetting {
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
  readonly webSandbox: WebSandbox | null
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
  /** Null when no mail can be sent. */
  readonly mail: { readonly url: string; readonly key: string | undefined; readonly from: string } | null
  /** Null when payments are not configured. */
  readonly stripe: {
    readonly secretKey: string
    readonly webhookSecret: string
    readonly apiUrl: string
    readonly prices: Readonly<Record<string, string>>
  } | null
  /** Null without sign-in by Google. */
  readonly google: { readonly clientId: string; readonly jwksUrl: string } | null
  readonly adminSecret: string | null
  readonly baseUrl: string
  /** Null without a breach service. */
  readonly hibp: { readonly url: string; readonly apiKey: string } | null
  readonly directories: Directories
  readonly webhookRules: TargetRules
  readonly listSources: string | null
}

interface Directories {
  readonly googleDirectory: Optional<{
    readonly serviceAccount: GoogleServiceAccount
    readonly adminSubject: string
    readonly url: string
    readonly tokenUrl: string
  }>
  readonly microsoftDirectory: Optional<{
    readonly tenantId: string
    readonly clientId: string
    readonly clientSecret: string
    readonly url: string
    readonly loginUrl: string
  }>
}

function readDirectories(settings: z.infer<typeof Settings>): Directories {
  const { GOOGLE_SERVICE_ACCOUNT, GOOGLE_ADMIN_SUBJECT, MS_TENANT_ID, MS_CLIENT_ID, MS_CLIENT_SECRET } = settings
  return {
    googleDirectory:
      GOOGLE_SERVICE_ACCOUNT && GOOGLE_ADMIN_SUBJECT
        ? {
            serviceAccount: GOOGLE_SERVICE_ACCOUNT,
            adminSubject: GOOGLE_ADMIN_SUBJECT,
            url: settings.GOOGLE_DIRECTORY_URL,
            tokenUrl: settings.GOOGLE_TOKEN_URL,
          }
        : { missing: unset({ GOOGLE_SERVICE_ACCOUNT, GOOGLE_ADMIN_SUBJECT }) },
    microsoftDirectory:
      MS_TENANT_ID && MS_CLIENT_ID && MS_CLIENT_SECRET
        ? {
            tenantId: MS_TENANT_ID,
            clientId: MS_CLIENT_ID,
            clientSecret: MS_CLIENT_SECRET,
            url: settings.MS_GRAPH_URL,
            loginUrl: settings.MS_LOGIN_URL,
          }
        : { missing: unset({ MS_TENANT_ID, MS_CLIENT_ID, MS_CLIENT_SECRET }) },
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
  readonly ASSETS: { fetch(request: Request | string): Promise<Response> }
  readonly [name: string]: unknown
}

export type ConfigResult = { ok: true; config: Config } | { ok: false; problems: string[] }

/** Reads and checks every setting at once; problems name the setting, never its value. */
export async function readConfig(bindings: Record<string, unknown>): Promise<ConfigResult> {
  const parsed = Settings.safeParse(bindings)
  if (!parsed.success)
    return { ok: false, problems: parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) }
  const settings = parsed.data
  const peppers = [settings.KEY_PEPPER, ...(settings.KEY_PEPPER_PREVIOUS ? [settings.KEY_PEPPER_PREVIOUS] : [])]
  try {
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
      recheckDelaysMs: settings.RECHECK_SECONDS.split(",").map((seconds) => Number(seconds) * 1_000),
      bulk: {
        retryDelaysMs: settings.BULK_RETRY_SECONDS.split(",").map((seconds) => Number(seconds) * 1_000),
        leaseMs: settings.BULK_LEASE_SECONDS * 1_000,
      },
      trustedAccounts: settings.ML_TRUSTED_ACCOUNTS,
      clientIpHeader: settings.CLIENT_IP_HEADER,
      logLevel: settings.LOG_LEVEL,
      mail:
        settings.MAIL_API_URL && settings.MAIL_FROM
          ? { url: settings.MAIL_API_URL, key: settings.MAIL_API_KEY, from: settings.MAIL_FROM }
          : null,
      stripe:
        settings.STRIPE_SECRET_KEY && settings.STRIPE_WEBHOOK_SECRET
          ? {
              secretKey: settings.STRIPE_SECRET_KEY,
              webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
              apiUrl: settings.STRIPE_API_URL,
              prices: settings.STRIPE_PRICES,
            }
          : null,
      google: settings.GOOGLE_CLIENT_ID
        ? { clientId: settings.GOOGLE_CLIENT_ID, jwksUrl: settings.GOOGLE_JWKS_URL }
        : null,
      adminSecret: settings.ADMIN_SECRET ?? null,
      baseUrl: settings.BASE_URL,
      hibp: settings.HIBP_API_KEY ? { url: settings.HIBP_URL, apiKey: settings.HIBP_API_KEY } : null,
      directories: readDirectories(settings),
      listSources: settings.LIST_SOURCES ?? null,
      webhookRules: {
        allowHttp: settings.WEBHOOK_ALLOW_HTTP,
        allowHosts: settings.WEBHOOK_ALLOW_HOSTS,
        ownHosts: [new URL(settings.BASE_URL).hostname],
      },
    }
    return { ok: true, config }
  } catch (error) {
    return { ok: false, problems: [`EDGE_SIGNING_KEY or PROBE_NODES public_keys: ${(error as Error).message}`] }
  }
}
