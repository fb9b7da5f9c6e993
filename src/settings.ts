import { z } from "zod"
import { LISTED_TIERS, REFRESHED_LISTS } from "../schema/vocabulary.ts"
import { parseSandbox } from "../schema/wire/addresses.ts"
import { isKeyText } from "../schema/wire/keys.ts"

interface GoogleServiceAccount {
  readonly clientEmail: string
  readonly privateKey: string
}

/** Rejects a key whose line breaks were escaped twice. */
const PRIVATE_KEY = /^-----BEGIN PRIVATE KEY-----[A-Za-z\d+/=\s]+-----END PRIVATE KEY-----\s*$/
const ServiceAccount = z.object({ client_email: z.string().min(1), private_key: z.string().regex(PRIVATE_KEY) })

/** Parses the JSON key file of a Google service account; null when it is invalid. */
function readServiceAccount(text: string): GoogleServiceAccount | null {
  try {
    const { client_email, private_key } = ServiceAccount.parse(JSON.parse(text))
    return { clientEmail: client_email, privateKey: private_key }
  } catch {
    return null
  }
}

/** Base URL of an optional provider; empty disables the provider. */
const providerUrl = (byDefault: string) =>
  z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .default(byDefault)
    .transform((url) => url || null)

/** A JSON setting. */
const jsonText = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    context.addIssue({ code: "custom", message: "is not valid JSON" })
    return z.NEVER
  }
})

/** Base URL of a provider that accounts connect. */
const baseUrl = (byDefault: string) =>
  z
    .string()
    .regex(/^https?:\/\/[^\s/]+/)
    .default(byDefault)
    .transform((url) => url.replace(/\/$/, ""))

/** Comma-separated "name=value" pairs with percent-encoded values, the format of OpenTelemetry. */
const headerPairs = z.string().transform((text, context) => {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "")
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/.exec(pair)!
        return [name!.toLowerCase(), decodeURIComponent(value!.trim())]
      }),
    )
  } catch {
    context.addIssue({ code: "custom", message: "must have the form name=value,name=value" })
    return z.NEVER
  }
})

/** A host with an optional port, as in a URL. */
const HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/

/** Comma-separated seconds, read as ms. */
const delays = (byDefault: string) =>
  z
    .string()
    .regex(/^\d{1,5}(,\d{1,5}){0,4}$/)
    .default(byDefault)
    .transform((list) => list.split(",").map((seconds) => Number(seconds) * 1_000))

/** Hosts separated by commas or spaces. */
const hostList = z.string().transform((list, context): ReadonlySet<string> => {
  const hosts = list.toLowerCase().match(/[^\s,]+/g) ?? []
  if (!hosts.every((host) => HOST.test(host)))
    context.addIssue({ code: "custom", message: "must be a list of hosts, each with an optional port" })
  return new Set(hosts)
})

const keyText = z.string().refine(isKeyText, "must have the form <key id>:<43 base64url characters>")

/** The operator's number for a tier; null is unlimited. */
const limit = z.int().min(0).max(1_000_000_000).nullable().optional()
/** Numbers by tier, named as in GET /plans. */
const LimitNumbers = z.partialRecord(
  z.enum(LISTED_TIERS),
  z.strictObject({ monthly_limit: limit, rate_per_min: limit }).transform(({ monthly_limit, rate_per_min }) => ({
    ...(monthly_limit === undefined ? {} : { perMonth: monthly_limit }),
    ...(rate_per_min === undefined ? {} : { perMinute: rate_per_min }),
  })),
)

/** The name of a table of limits, or numbers that replace some of the table `tiers`. */
const limits = z.string().transform((text, context) => {
  if (text === "tiers" || text === "plans") return { variant: text, changes: {} } as const
  const read = jsonText.pipe(LimitNumbers).safeParse(text)
  if (read.success) return { variant: "tiers", changes: read.data } as const
  const example = '{"free":{"monthly_limit":1000,"rate_per_min":60}}'
  context.addIssue({
    code: "custom",
    message: `must be tiers, plans, or numbers such as ${example}; null is unlimited`,
  })
  return z.NEVER
})

/** A product: a plan or a pack of credits. A payment for any other product would have no effect. */
const PRODUCT = /^(starter|pro|enterprise|credits_[1-9]\d{0,8})$/

const ListSource = z.object({
  name: z.string().min(1).max(64),
  class: z.enum(REFRESHED_LISTS),
  url: z.url({ protocol: /^https?$/ }),
  first_hand: z.boolean().optional(),
})

/**
 * A public list of domains or top-level domains, one per line. Sources with the same name count as one, for lists that
 * copy each other. `first_hand` marks a list of disposable domains that its maintainers observe or review themselves.
 */
export type ListSource = z.infer<typeof ListSource>

/** Settings that an empty value disables: external lookups and the client IP header. */
const MAY_BE_EMPTY = ["RDAP_BOOTSTRAP_URL", "GRAVATAR_URL", "CLIENT_IP_HEADER"]

/** Whether a setting has a value. An empty value counts only for MAY_BE_EMPTY. */
export function isSet(name: string, value: unknown): boolean {
  return value !== undefined && (value !== "" || MAY_BE_EMPTY.includes(name))
}

/** The settings of the Worker. Their names are a contract (.env.example). */
export const Settings = z.object({
  LIBSQL_URL: z.url({ protocol: /^(https?|libsql)$/ }),
  LIBSQL_AUTH_TOKEN: z.string().optional(),
  LIBSQL_WRITES: z.coerce.number().int().min(1).max(64).optional(),
  DOH_URL: z
    .string()
    .default("https://cloudflare-dns.com/dns-query,https://dns.google/dns-query")
    .transform((list) => list.split(",").map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1)),
  PROBE_NODES: jsonText.prefault("[]").pipe(
    z
      .array(
        z.object({
          id: z.string().regex(/^[\w.-]{1,64}$/),
          region: z.string().min(1).max(64),
          url: z.url({ protocol: /^https?$/ }),
          public_keys: z.array(keyText).min(1).max(2),
        }),
      )
      .refine((nodes) => new Set(nodes.map(({ id }) => id)).size === nodes.length, "must give each node a unique id"),
  ),
  EDGE_SIGNING_KEY: keyText,
  KEY_PEPPER: z.string().min(32, "needs at least 32 characters"),
  KEY_PEPPER_PREVIOUS: z.string().min(32, "needs at least 32 characters").optional(),
  ADMIN_SECRET: z.string().min(32, "needs at least 32 characters").optional(),
  RDAP_BOOTSTRAP_URL: providerUrl("https://data.iana.org/rdap/dns.json"),
  GRAVATAR_URL: providerUrl("https://gravatar.com/avatar"),
  /** Uses Microsoft's sign-in page as a weak sign that a mailbox exists. Off unless both are set. */
  MS_CREDENTIAL_CHECK: z.enum(["0", "1"]).default("0"),
  MS_CREDENTIAL_URL: providerUrl(""),
  /** For tests and the sandbox internet: a private network whose addresses act as web servers, and their port. */
  WEB_SANDBOX: z
    .string()
    .optional()
    .transform((text, context) => {
      const sandbox = text ? parseSandbox(text) : null
      if (text && !sandbox) context.addIssue({ code: "custom", message: "must have the form <network>:<port>" })
      return sandbox
    }),
  /** Whether the domain `.test` leads to the servers of `npm start`. Otherwise the Worker answers for it. */
  SANDBOX: z.enum(["0", "1"]).default("0"),
  LOG_LEVEL: z.enum(["info", "warn"]).default("info"),
  /** Trace collector (OTLP over HTTP, JSON); "/v1/traces" is appended. Without it tracing is off. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerPairs.prefault(""),
  /** Share of requests that are traced. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(0.05),
  LIMITS: limits.prefault("tiers"),
  /** Delays before each recheck of a deferred address, in seconds. */
  RECHECK_SECONDS: delays("360,1800,14400"),
  /** Delays before each retry pass over the deferred addresses of a job, in seconds. */
  BULK_RETRY_SECONDS: delays("360,1800"),
  /** Lease of a queued chunk of a job, in seconds. */
  BULK_LEASE_SECONDS: z.coerce.number().int().min(5).max(900).default(180),
  ANONYMOUS_PER_MINUTE: z.coerce.number().int().min(0).default(20),
  ANONYMOUS_PER_MONTH: z.coerce.number().int().min(0).default(100),
  /** Accounts whose feedback trains the model without a cap, comma-separated; "*" for all, as in a private installation. */
  ML_TRUSTED_ACCOUNTS: z
    .string()
    .default("")
    .transform((list) => new Set(list.split(/[\s,]+/).filter((id) => id !== ""))),
  /** The header in which the platform or a reverse proxy states the client's address; empty to trust no header. */
  CLIENT_IP_HEADER: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]*$/, "is not a valid header name")
    .toLowerCase()
    .default("cf-connecting-ip"),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.stripe.com"),
  /** Price ids as JSON: {"starter": "price_…", "pro": "price_…", "credits_10000": "price_…"}. */
  STRIPE_PRICES: jsonText.prefault("{}").pipe(
    z.record(z.string().regex(PRODUCT), z.string(), {
      error: ({ code }) => (code === "invalid_key" ? "is neither a plan nor credits_<number>" : undefined),
    }),
  ),
  MAIL_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  MAIL_API_KEY: z.string().optional(),
  MAIL_FROM: z.string().regex(/\S@\S/, "must contain an email address").optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_AUTH_URL: z.url({ protocol: /^https?$/ }).default("https://accounts.google.com/o/oauth2/v2/auth"),
  GOOGLE_JWKS_URL: z.url({ protocol: /^https?$/ }).default("https://www.googleapis.com/oauth2/v3/certs"),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default("http://127.0.0.1:8787")
    .transform((url) => url.replace(/(?<!\/)\/+$/, "")),
  HIBP_URL: z.url({ protocol: /^https?$/ }).default("https://haveibeenpwned.com/api/v3"),
  HIBP_API_KEY: z.string().optional(),
  GOOGLE_SERVICE_ACCOUNT: z
    .string()
    .optional()
    .transform((text, context) => {
      const account = text ? readServiceAccount(text) : null
      if (text && !account) context.addIssue({ code: "custom", message: "must be the JSON key of a service account" })
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
  /** What accounts may learn from the operator's directories: nothing, whether an address exists, or everything. */
  DIRECTORY_SHARE: z.enum(["none", "existence", "all"]).default("none"),
  HUBSPOT_URL: baseUrl("https://api.hubapi.com"),
  SALESFORCE_LOGIN_URL: baseUrl("https://login.salesforce.com"),
  /** {dc} is the placeholder for the data center, which the API key names. */
  MAILCHIMP_URL: baseUrl("https://{dc}.api.mailchimp.com/3.0"),
  KLAVIYO_URL: baseUrl("https://a.klaviyo.com"),
  SLACK_URL: baseUrl("https://slack.com/api"),
  /** Allowed hosts of catch hooks. A host with a port is in a private network and may use plain http. */
  ZAPIER_HOSTS: hostList.prefault("hooks.zapier.com"),
  /** JSON list of {name, class, url}. */
  LIST_SOURCES: jsonText.prefault("[]").pipe(z.array(ListSource).max(20)),
  WEBHOOK_ALLOW_HTTP: z.stringbool().default(false),
  /** Hosts, with an optional port, that webhooks may reach in spite of the rules: private networks and tests. */
  WEBHOOK_ALLOW_HOSTS: hostList.prefault(""),
  /** Hosts, with an optional port, that nodes may enroll with although they are not public https hosts. */
  FLEET_ALLOW_HOSTS: hostList.prefault(""),
  /** Interval of the canary probes, in seconds. */
  CANARY_SECONDS: z.coerce.number().int().min(1).max(86_400).default(3_600),
})

/**
 * The settings that are secrets. `npm start` and the scripts read each one also from the file that NAME_FILE names
 * (schema/wire/secret-files.ts). At Cloudflare they must be secrets of the Worker, never variables in wrangler.toml.
 */
export const SECRET_SETTINGS = [
  ...["LIBSQL_AUTH_TOKEN", "KEY_PEPPER", "KEY_PEPPER_PREVIOUS", "ADMIN_SECRET", "EDGE_SIGNING_KEY"],
  ...["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "MAIL_API_KEY", "HIBP_API_KEY", "GOOGLE_SERVICE_ACCOUNT"],
  ...["MS_CLIENT_SECRET", "OTEL_EXPORTER_OTLP_HEADERS"],
] as readonly (keyof typeof Settings.shape)[]
