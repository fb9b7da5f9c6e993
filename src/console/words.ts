import type { SmtpStatus, Status, SubStatus } from "../../schema/vocabulary.ts"

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  valid: "Valid",
  invalid: "Invalid",
  accept_all: "Accept-all",
  unknown: "Unknown",
  invalid_syntax: "Malformed",
}

/** The order in bars and legends. */
export const SHOWN_STATUSES = ["valid", "accept_all", "unknown", "invalid", "invalid_syntax"] as const

export const SUB_STATUS_WORDS: Readonly<Record<SubStatus, string>> = {
  mailbox_verified: "The mail server confirmed the mailbox.",
  mailbox_not_found: "The mail server says there is no such mailbox.",
  catch_all_address: "The domain accepts every address, so this mailbox cannot be confirmed.",
  google_workspace_confirmed: "Google Workspace confirmed the mailbox.",
  m365_confirmed: "Microsoft 365 confirmed the mailbox.",
  greylisted: "The mail server asked for a later retry (greylisting).",
  connection_failed: "The mail server could not be reached.",
  policy_rejection: "The mail server rejected the probe because of its policy.",
  domain_not_found: "The domain does not exist or does not accept mail.",
  invalid_format: "This is not an email address.",
}

interface Replied {
  readonly status: Status
  readonly smtp_status: SmtpStatus
  readonly smtp_response_code: number
}

/** What the mail server did with the recipient. The API says "error" or "rejected" for a deferral, too. */
export function replyWords({ status, smtp_status: smtp, smtp_response_code: code }: Replied): string {
  if (smtp === "rejected" && status === "invalid") return smtp
  if (code >= 400 && code < 500) return "deferred"
  if (smtp !== "rejected") return smtp
  // RFC 5321 §4.2.3: 552 is about storage.
  return code === 552 ? "mailbox full" : "refused our probe"
}

/** "mailbox_full" reads "Mailbox full". */
export function plain(word: string): string {
  const spaced = word.replaceAll("_", " ")
  return `${spaced.slice(0, 1).toUpperCase()}${spaced.slice(1)}`
}

/** A message of the API as a sentence. An address at its start stays as it is. */
export function asSentence(message: string): string {
  const isAddressFirst = message.split(" ", 1)[0]?.includes("@")
  const begun = isAddressFirst ? message : `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`
  return begun.endsWith(".") ? begun : `${begun}.`
}

// The texts are English. Numbers and dates follow the reader's locale, and words about them, such as "2 hours ago", do not.
const NUMBER = new Intl.NumberFormat()
export const count = (value: number): string => NUMBER.format(value)

export const addresses = (amount: number): string => (amount === 1 ? "1 address" : `${count(amount)} addresses`)

export const credits = (amount: number): string => (amount === 1 ? "1 credit" : `${count(amount)} credits`)

export const rows = (amount: number): string => (amount === 1 ? "1 row" : `${count(amount)} rows`)

export const days = (amount: number): string => (amount === 1 ? "1 day" : `${count(amount)} days`)

/** A number with exactly so many digits behind the decimal separator. */
export const decimal = (value: number, digits: number): string =>
  new Intl.NumberFormat(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "negative",
  })
    .format(value)
    .replace("-", "−")

/** A share as a percentage. Only 0 and 1 read "0%" and "100%": what rounds to them is "under 0.1%" or "over 99.9%". */
export function percent(share: number, digits = 1): string {
  const shown = (amount: number, shownDigits = digits) =>
    new Intl.NumberFormat(undefined, {
      style: "percent",
      minimumFractionDigits: shownDigits,
      maximumFractionDigits: shownDigits,
    }).format(amount)
  const least = 10 ** -(digits + 2)
  if (share === 0 || share === 1) return shown(share, 0)
  if (share > 0 && share < least) return `under ${shown(least)}`
  return share > 1 - least && share < 1 ? `over ${shown(1 - least)}` : shown(share)
}

export const signed = (points: number): string => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0")

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
export const moment = (iso: string | number): string => MOMENT.format(new Date(iso))

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
export const day = (iso: string | number): string => DAY.format(new Date(iso))

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

/** "2 hours ago". @param at ISO 8601, or Unix milliseconds */
export function ago(at: string | number, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1_000
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.round(seconds / length), unit)
  return Math.abs(seconds) < 5 ? "just now" : RELATIVE.format(Math.round(seconds), "second")
}

/** "230 ms", "3.1 s". */
export const milliseconds = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${decimal(ms / 1_000, 1)} s`

/** "3 min 20 s". */
export function duration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min${whole % 60 ? ` ${whole % 60} s` : ""}`
  if (whole < 172_800) return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
  return `${Math.floor(whole / 86_400)} days`
}

const SHORT_DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" })
/** "Nov 24". @param date a UTC day such as "2026-11-24" */
export const shortDay = (date: string): string => SHORT_DAY.format(new Date(date))

/** "1 node", "1,200 nodes". @param one the noun for one, whose plural ends in s */
export const counted = (amount: number, one: string): string => `${count(amount)} ${amount === 1 ? one : `${one}s`}`

/** Names of mail operators that are not their identifier with a capital letter. A domain name stays as it is. */
const NAMES: Readonly<Record<string, string>> = {
  "all-inkl": "ALL-INKL",
  att: "AT&T",
  au: "au",
  bt: "BT",
  dnsmadeeasy: "DNS Made Easy",
  docomo: "NTT Docomo",
  dreamhost: "DreamHost",
  fireeye: "FireEye",
  forwardemail: "Forward Email",
  forwardmx: "ForwardMX",
  fusemail: "FuseMail",
  gmx: "GMX",
  godaddy: "GoDaddy",
  hey: "HEY",
  hosteurope: "Host Europe",
  hostgator: "HostGator",
  icloud: "iCloud",
  improvmx: "ImprovMX",
  ionos: "IONOS",
  kinghost: "KingHost",
  kpn: "KPN",
  laposte: "La Poste",
  mailbox: "mailbox.org",
  mailchannels: "MailChannels",
  mailguard: "MailGuard",
  mailroute: "MailRoute",
  microsoft365: "Microsoft 365",
  mxroute: "MXroute",
  mxthunder: "MXThunder",
  netease: "NetEase",
  "network-solutions": "Network Solutions",
  nospamproxy: "NoSpamProxy",
  outlook: "Outlook.com",
  ovh: "OVHcloud",
  "perception-point": "Perception Point",
  qq: "QQ",
  sendgrid: "SendGrid",
  sfr: "SFR",
  simplelogin: "SimpleLogin",
  siteground: "SiteGround",
  solarwinds: "SolarWinds",
  spamexperts: "SpamExperts",
  spamhero: "SpamHero",
  sparkpost: "SparkPost",
  startmail: "StartMail",
  transip: "TransIP",
  trendmicro: "Trend Micro",
  "united-domains": "united-domains",
  uol: "UOL",
  "yahoo-japan": "Yahoo Japan",
}

/** The name of a mail operator. @param operator the API's name for it, or a mail host of an unknown one */
export const operatorName = (operator: string): string =>
  NAMES[operator] ?? (operator.includes(".") ? operator : plain(operator))

/** Values of `provider` that are not a name. */
const PROVIDER_WORDS: Readonly<Record<string, string>> = { other: "not a known provider", none: "none" }

export const providerWords = (provider: string): string => PROVIDER_WORDS[provider] ?? operatorName(provider)
