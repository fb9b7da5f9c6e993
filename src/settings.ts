import { z } from "zod"
import { parseSandbox } from "../schema/wire/addresses.ts"
import { isKeyText } from "../schema/wire/keys.ts"

interface GoogleServiceAccount {
  readonly clientEmail: string
  readonly privateKey: string
}

/** A key whose line breaks have been escaped twice on their way here is none. */
const PRIVATE_KEY = /^-----BEGIN PRIVATE KEY-----[A-Za-z\d+/=\s]+-----END PRIVATE KEY-----\s*$/
const ServiceAccount = z.object({ client_email: z.string().min(1), private_key: z.string().regex(PRIVATE_KEY) })

/** The JSON key file of a Google service account; null when it is none. */
function readServiceAccount(text: string): GoogleServiceAccount | null {
  try {
    const { client_email, private_key } = ServiceAccount.parse(JSON.parse(text))
    return { clientEmail: client_email, privateKey: private_key }
  } catch {
    return null
  }
}

/** The base URL of an optional provider; empty switches it off. */
const providerUrl = (byDefault: string) =>
  z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .default(byDefault)
    .transform((url) => url || null)

/** A setting written as JSON. */
const jsonText = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    context.addIssue({ code: "custom", message: "is not JSON" })
    return z.NEVER
  }
})

/** Where a provider is that accounts connect. */
const placeUrl = (byDefault: string) =>
  z
    .string()
    .regex(/^https?:\/\/[^\s/]+/)
    .default(byDefault)
    .transform((url) => url.replace(/\/$/, ""))

/** "name=value" pairs with commas, values percent-encoded, as OpenTelemetry writes them. */
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
    context.addIssue({ code: "custom", message: "is not written name=value,name=value" })
    return z.NEVER
  }
})

/** A host as a URL has it, with its port or without. */
const HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/

/** Seconds in a list with commas, read as ms. */
const delays = (byDefault: string) =>
  z
    .string()
    .regex(/^\d{1,5}(,\d{1,5}){0,4}$/)
    .default(byDefault)
    .transform((list) => list.split(",").map((seconds) => Number(seconds) * 1_000))

/** Hosts in a list with commas or blanks. */
const hostList = z.string().transform((list, context): ReadonlySet<string> => {
  const hosts = list.toLowerCase().match(/[^\s,]+/g) ?? []
  if (!hosts.every((host) => HOST.test(host)))
    context.addIssue({ code: "custom", message: "is not a list of hosts, each with its port or without" })
  return new Set(hosts)
})

const keyText = z.string().refine(isKeyText, "is not written <key id>:<43 base64url characters>")

/** What is sold: a plan, or a pack of credits. Whoever paid for anything else would get nothing. */
const PRODUCT = /^(starter|pro|enterprise|credits_[1-9]\d{0,8})$/

const ListSource = z.object({
  name: z.string().min(1).max(64),
  class: z.enum(["disposable", "free"]),
  url: z.url({ protocol: /^https?$/ }),
})

/** A public list of domains, one a line. Two sources of one name have one voice together: lists that copy one another. */
export type ListSource = z.infer<typeof ListSource>

/** Look-ups elsewhere, which an empty value switches off, and the header, which may be none. */
const MAY_BE_EMPTY = ["RDAP_BOOTSTRAP_URL", "GRAVATAR_URL", "CLIENT_IP_HEADER"]

/** Whether a setting is set: any other that is empty is not. */
export function isSet(name: string, value: unknown): boolean {
  return value !== undefined && (value !== "" || MAY_BE_EMPTY.includes(name))
}

/** The settings of the Worker. Their names are a contract (README "Settings", .env.example). */
export const Settings = z.object({
  LIBSQL_URL: z.url({ protocol: /^(https?|libsql)$/ }),
  LIBSQL_AUTH_TOKEN: z.string().optional(),
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
      .refine((nodes) => new Set(nodes.map(({ id }) => id)).size === nodes.length, "gives two nodes one id"),
  ),
  EDGE_SIGNING_KEY: keyText,
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
      const sandbox = text ? parseSandbox(text) : null
      if (text && !sandbox) context.addIssue({ code: "custom", message: "is not written <network>:<port>" })
      return sandbox
    }),
  LOG_LEVEL: z.enum(["info", "warn"]).default("info"),
  /** A collector of traces (OTLP over HTTP, JSON); "/v1/traces" comes behind it. Without it nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerPairs.prefault(""),
  /** The share of requests that is traced. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(0.05),
  LIMITS: z.enum(["tiers", "plans"]).default("tiers"),
  /** When the held-up addresses of a job are asked again, in seconds after each pass. */
  RECHECK_SECONDS: delays("360,1800,14400"),
  BULK_RETRY_SECONDS: delays("360,1800"),
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
  CLIENT_IP_HEADER: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]*$/, "is no name of a header")
    .toLowerCase()
    .default("cf-connecting-ip"),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.stripe.com"),
  /** Price ids as JSON: {"starter": "price_…", "pro": "price_…", "credits_10000": "price_…"}. */
  STRIPE_PRICES: jsonText.prefault("{}").pipe(
    z.record(z.string().regex(PRODUCT), z.string(), {
      error: ({ code }) => (code === "invalid_key" ? "is no plan and no credits_<number>" : undefined),
    }),
  ),
  MAIL_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  MAIL_API_KEY: z.string().optional(),
  MAIL_FROM: z.string().regex(/\S@\S/, "names no mailbox").optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_JWKS_URL: z.url({ protocol: /^https?$/ }).default("https://www.googleapis.com/oauth2/v3/certs"),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default("http://127.0.0.1:8787")
    .transform((url) => url.replace(/\/+$/, "")),
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
  HUBSPOT_URL: placeUrl("https://api.hubapi.com"),
  SALESFORCE_LOGIN_URL: placeUrl("https://login.salesforce.com"),
  /** {dc} stands for the data centre, which a key names. */
  MAILCHIMP_URL: placeUrl("https://{dc}.api.mailchimp.com/3.0"),
  KLAVIYO_URL: placeUrl("https://a.klaviyo.com"),
  SLACK_URL: placeUrl("https://slack.com/api"),
  /** Where catch hooks may be. A host with its port is a network of one's own, and plain http will do there. */
  ZAPIER_HOSTS: hostList.prefault("hooks.zapier.com"),
  /** JSON list of {name, class, url}. */
  LIST_SOURCES: jsonText.prefault("[]").pipe(z.array(ListSource).max(20)),
  WEBHOOK_ALLOW_HTTP: z.stringbool().default(false),
  /** Hosts, with or without their port, that webhooks may go to although the rules say no: own networks and tests. */
  WEBHOOK_ALLOW_HOSTS: hostList.prefault(""),
  /** Hosts, with or without their port, that nodes may enrol with although they are no public https hosts. */
  FLEET_ALLOW_HOSTS: hostList.prefault(""),
  /** How often control addresses are asked about. */
  CANARY_SECONDS: z.coerce.number().int().min(1).max(86_400).default(3_600),
})
