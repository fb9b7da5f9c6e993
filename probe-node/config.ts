import { isIP } from "node:net"
import { parseSandbox } from "../schema/wire/addresses.ts"
import { HEALTH_LIMITS } from "../schema/wire/health.ts"
import { importSigningKey, importTrustedKey, type SigningKey, type TrustedKey } from "../schema/wire/keys.ts"
import type { BudgetPlan } from "./ip-reputation.ts"
import { parseRblZones } from "./rbl.ts"
import type { SocksProxy } from "./smtp/socks5.ts"

/** The settings without the keys, which exist only after the enrolment. */
export type NodeSettings = Readonly<ReturnType<typeof readAll>>

export type NodeConfig = NodeSettings & {
  readonly trustedKeys: readonly TrustedKey[]
  readonly signingKey: SigningKey
}

type Problems = { ok: false; problems: string[] }
type Env = Readonly<Record<string, string | undefined>>

const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i
const ENVELOPE_SENDER = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([^@]+)$/
const HOST_PORT = /^(\[[0-9a-fA-F:.]+\]|\d+\.\d+\.\d+\.\d+)(:\d{1,5})?$/

/** Large providers with different owners. A source IP that reaches none of them reaches no mail server. */
const DOCTOR_HOSTS = ["gmail.com", "outlook.com", "yahoo.com"]
const CLOCK_URLS = ["https://www.google.com/", "https://www.cloudflare.com/"]

/** Reads the PROBE_* settings. It reports all problems at once, each with its solution. */
export async function readConfig(env: Env): Promise<{ ok: true; config: NodeConfig } | Problems> {
  const read = new Reader(env)
  const settings = readAll(read)
  const trustedKeys = await Promise.all(read.list("PROBE_TRUSTED_KEYS").map((text) => importKey(read, text)))
  if (trustedKeys.length === 0)
    read.problem(
      "PROBE_TRUSTED_KEYS",
      "is missing: set it to the edge's public key, written <keyid>:<key>; separate two keys with a comma",
    )
  const signingKey = await readSigningKey(read)
  if (read.problems.length > 0 || !signingKey) return { ok: false, problems: read.problems }
  return { ok: true, config: { ...settings, signingKey, trustedKeys: trustedKeys.filter((key) => key !== null) } }
}

/** Reads the settings without the keys, for commands that contact only mail servers. */
export function readSettings(env: Env): { ok: true; settings: NodeSettings } | Problems {
  const read = new Reader(env)
  const settings = readAll(read)
  return read.problems.length > 0 ? { ok: false, problems: read.problems } : { ok: true, settings }
}

function readAll(read: Reader) {
  return {
    id: read.text("PROBE_NODE_ID", "node-1"),
    region: read.text("PROBE_REGION", "local"),
    host: read.text("PROBE_HOST", "127.0.0.1"),
    port: read.number("PROBE_PORT", { fallback: 8625, min: 0, max: 65_535 }),
    /** Bearer token for GET /metrics. Null: only this machine may read the metrics. */
    metricsToken: read.optional(
      "PROBE_METRICS_TOKEN",
      (text) => (/^[\x21-\x7e]{16,}$/.test(text) ? text : null),
      () => "is too short: write at least 16 characters, without blanks",
    ),
    /** Origin at which the edge calls this node. Signatures cover it. Null: the listening address. */
    publicUrl: read.optional(
      "PROBE_PUBLIC_URL",
      httpOrigin,
      (given) => `is ${given}: write the URL at which the edge calls this node, https://...`,
    ),
    heloName: readHelo(read),
    envelopeSender: readSender(read),
    dns: read.optional(
      "PROBE_DNS",
      (text) => (isIP(text) || HOST_PORT.test(text) ? text : null),
      (given) => `is ${given}: write the resolver's IP address and port, such as 127.0.0.1:53`,
    ),
    /** Blocklists to query instead of those in the request. Empty: those in the request. */
    rblZones:
      read.optional(
        "PROBE_RBL_ZONES",
        () => parseRblZones(read.list("PROBE_RBL_ZONES")),
        () => "cannot be read: list zones with commas, such as bl.example.org,zen.spamhaus.org=KEY.zen.dq.spamhaus.net",
      ) ?? [],
    sourceIps: readSourceIps(read),
    proxy: read.optional(
      "PROBE_SOCKS5",
      parseSocks5,
      () =>
        'cannot be read: write socks5://host:port or socks5://user:password@host:port, a "%" in the password as %25',
    ),
    policy: {
      allowPrivate: read.flag("PROBE_ALLOW_PRIVATE"),
      sandbox: read.optional(
        "PROBE_SANDBOX",
        parseSandbox,
        (given) => `is ${given}: write a network and a port, such as 127.42.0.0/16:2525`,
      ),
      smtpPort: read.number("PROBE_SMTP_PORT", { fallback: 25, min: 1, max: 65_535 }),
    },
    concurrency: read.number("PROBE_CONCURRENCY", { fallback: 1_000, min: 1, max: 50_000 }),
    queue: read.number("PROBE_QUEUE", { fallback: 10_000, min: 1, max: 1_000_000 }),
    ratePerSlot: read.number("PROBE_RATE", { fallback: 5, min: 0, max: 1_000_000 }) || Number.POSITIVE_INFINITY,
    budget: readBudget(read),
    doctor: readDoctor(read),
  }
}

class Reader {
  readonly problems: string[] = []
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  problem(name: string, what: string): void {
    this.problems.push(`${name} ${what}`)
  }

  text(name: string, fallback = ""): string {
    return this.#env[name]?.trim() || fallback
  }

  /**
   * The parsed text. Null when the setting is empty or `parse` refuses it.
   * @param problem receives the quoted text, for settings that are no secrets
   */
  optional<T>(name: string, parse: (text: string) => T | null, problem: (given: string) => string): T | null {
    const text = this.text(name)
    if (text === "") return null
    const value = parse(text)
    if (value === null) this.problem(name, problem(quote(text)))
    return value
  }

  list(name: string): string[] {
    return this.text(name)
      .split(/[\s,]+/)
      .filter((part) => part !== "")
  }

  /** The list, or the fallback when the setting is empty. "off" means an empty list. */
  listOr(name: string, fallback: readonly string[]): readonly string[] {
    const words = this.list(name)
    if (words.length === 0) return fallback
    return words.length === 1 && words[0]!.toLowerCase() === "off" ? [] : words
  }

  flag(name: string): boolean {
    const text = this.text(name, "0").toLowerCase()
    if (!["0", "1", "true", "false"].includes(text)) this.problem(name, `is ${quote(text)}: write 1 or 0`)
    return text === "1" || text === "true"
  }

  number(name: string, { fallback, min, max }: { fallback: number; min: number; max: number }): number {
    const text = this.text(name)
    if (text === "") return fallback
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    this.problem(name, `is ${quote(text)}: write a whole number from ${min} to ${max}`)
    return fallback
  }
}

function readHelo(read: Reader): string {
  const name = read.text("PROBE_HELO").toLowerCase()
  const advice = "set it to the full host name of this machine, as in its IP's PTR record, such as probe1.example.com"
  if (name === "") read.problem("PROBE_HELO", `is missing: ${advice}`)
  else if (isIP(name.replace(/^\[(IPv6:)?|\]$/gi, ""))) read.problem("PROBE_HELO", `is a bare IP address: ${advice}`)
  else if (name === "localhost" || name.endsWith(".localhost") || name.startsWith("localhost."))
    read.problem("PROBE_HELO", `is localhost, which mail servers refuse: ${advice}`)
  else if (!name.includes(".")) read.problem("PROBE_HELO", `is ${quote(name)}, a single label: ${advice}`)
  else if (!HOST_NAME.test(name)) read.problem("PROBE_HELO", `is ${quote(name)}, not a host name: ${advice}`)
  return name
}

function readSender(read: Reader): string {
  const sender = read.text("PROBE_MAIL_FROM")
  const domain = ENVELOPE_SENDER.exec(sender)?.[1] ?? ""
  if (!HOST_NAME.test(domain) || domain === "localhost")
    read.problem(
      "PROBE_MAIL_FROM",
      `${sender === "" ? "is missing" : `is ${quote(sender)}`}: set it to a mailbox of yours that exists, such as probe@example.com`,
    )
  return sender
}

function httpOrigin(text: string): string | null {
  const url = URL.parse(text)
  return url && ["http:", "https:"].includes(url.protocol) ? url.origin : null
}

function readSourceIps(read: Reader): string[] {
  const ips = read.list("PROBE_SOURCE_IPS")
  for (const ip of ips)
    if (!isIP(ip)) read.problem("PROBE_SOURCE_IPS", `has ${quote(ip)}: list IP addresses of this machine with commas`)
  const most = HEALTH_LIMITS.sourceIps
  if (ips.length > most)
    read.problem("PROBE_SOURCE_IPS", `has ${ips.length} addresses: a node may have at most ${most}`)
  return [...new Set(ips)]
}

function parseSocks5(text: string): SocksProxy | null {
  const url = URL.parse(text)
  if (!url || !["socks5:", "socks5h:"].includes(url.protocol) || url.hostname === "") return null
  const [username, password] = [percentDecoded(url.username), percentDecoded(url.password)]
  if (username === null || password === null) return null
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 1080),
    credentials: username === "" ? null : { username, password },
  }
}

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function readBudget(read: Reader): BudgetPlan {
  const perDay = read.number("PROBE_DAILY_BUDGET", { fallback: 0, min: 0, max: 1_000_000_000 }) || null
  const warmUpFromMs = read.optional(
    "PROBE_WARMUP_FROM",
    (text) => {
      const from = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
      return Number.isNaN(from) ? null : from
    },
    (given) => `is ${given}: write the first day of the new IP, such as 2026-11-21`,
  )
  return { perDay, warmUpFromMs }
}

/** A sandbox has no internet hosts and clocks, so its defaults are empty. */
function readDoctor(read: Reader) {
  const inSandbox = read.text("PROBE_SANDBOX") !== ""
  /** Mail domains or hosts for the port 25 check. */
  const hosts = read.listOr("PROBE_DOCTOR_HOSTS", inSandbox ? [] : DOCTOR_HOSTS)
  /** Web servers whose Date header the clock check compares with. */
  const clockUrls = read.listOr("PROBE_CLOCK_URLS", inSandbox ? [] : CLOCK_URLS)
  if (!hosts.every((host) => HOST_NAME.test(host)))
    read.problem("PROBE_DOCTOR_HOSTS", "cannot be read: list mail domains with commas, such as gmail.com,outlook.com")
  if (!clockUrls.every((url) => /^https?:/i.test(url) && URL.canParse(url)))
    read.problem("PROBE_CLOCK_URLS", "cannot be read: list https:// URLs with commas, or write off")
  return { hosts, clockUrls }
}

async function importKey(read: Reader, text: string): Promise<TrustedKey | null> {
  try {
    return await importTrustedKey(text)
  } catch (error) {
    read.problem("PROBE_TRUSTED_KEYS", `cannot be read: ${(error as Error).message}`)
    return null
  }
}

async function readSigningKey(read: Reader): Promise<SigningKey | null> {
  const text = read.text("PROBE_SIGNING_KEY")
  try {
    return await importSigningKey(text)
  } catch (error) {
    const what = text === "" ? "is missing" : "cannot be read"
    read.problem("PROBE_SIGNING_KEY", `${what}: ${(error as Error).message}; run enrol to generate one`)
    return null
  }
}

/** Quotes a setting's value: shortened, with control characters escaped. Never used for secrets. */
function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
