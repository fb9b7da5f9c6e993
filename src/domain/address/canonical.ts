import { lowerLocal } from "./address-forms.ts"
import { parseAddress, type ValidAddress } from "./parse.ts"

/** How a provider maps several spellings of an address to the same mailbox. */
interface MailboxRule {
  /** The domains that the rule applies to. */
  readonly domains: readonly string[]
  /** The canonical domain, when all domains share their mailboxes. Absent: each domain has separate mailboxes. */
  readonly canonicalDomain?: string
  /** Characters of the name that the provider ignores, such as ".-_". */
  readonly ignored?: string
  /** Equivalent characters of the name. The first is canonical. */
  readonly interchangeable?: string
  /** Begins a tag that the provider ignores. The address without it has the same mailbox. */
  readonly tag?: "+"
  /**
   * Begins the keyword of a disposable address. The base name before it is not an address.
   * A mailbox with the same name may have another owner.
   */
  readonly keyword?: "-"
  /** The provider delivers anything@name.<domain> to name@<domain>. */
  readonly hasNameSubdomains?: true
  /** Documentation of the provider, or else a press report. */
  readonly source: string
}

const under = (label: string, suffixes: string): string[] => suffixes.split(" ").map((suffix) => `${label}.${suffix}`)

/** Documented rules only, because a wrong rule could merge the mailboxes of two people. */
export const MAILBOX_RULES: readonly MailboxRule[] = [
  {
    // Consumer domains only: dots are significant in a Workspace domain (RFC 5321 §2.3.11).
    domains: ["gmail.com", "googlemail.com"],
    canonicalDomain: "gmail.com",
    ignored: ".",
    tag: "+",
    source: "https://support.google.com/mail/answer/7436150 (dots) and /10313 (googlemail.com, tags)",
  },
  {
    domains: [
      ...under(
        "outlook",
        "com at be cl co.id co.il co.th com.ar com.au com.br com.gr com.pe com.tr com.vn cz de dk es fr hu",
      ),
      ...under("outlook", "ie in it jp kr lv my ph pt sa sg sk"),
      ...under(
        "hotmail",
        "com at be ca ch cl co.id co.il co.in co.jp co.kr co.nz co.th co.uk co.za com.ar com.au com.br",
      ),
      ...under(
        "hotmail",
        "com.hk com.mx com.tr com.tw com.vn cz de dk es fi fr gr hu it lt lv my nl no ph rs se sg sk",
      ),
      ...under(
        "live",
        "com at be ca ch cl cn co.kr co.uk co.za com.ar com.au com.mx com.my com.ph com.pt com.sg de dk",
      ),
      ...under("live", "fi fr hk ie in it jp nl no ru se"),
      ...under("msn", "com"),
    ],
    tag: "+",
    source:
      "https://www.zdnet.com/article/microsoft-adds-support-for-custom-email-addresses-in-office-365/ (since 2013)",
  },
  {
    domains: ["icloud.com", "me.com", "mac.com"],
    canonicalDomain: "icloud.com",
    tag: "+",
    source:
      "https://support.apple.com/118230 (domains); tags: https://en.wikipedia.org/wiki/Email_address#Sub-addressing",
  },
  {
    domains: under("fastmail", "com fm net org us es in to ca co.uk com.au de fr se nl jp cn im mx tw"),
    tag: "+",
    hasNameSubdomains: true,
    source: "https://www.fastmail.help/hc/en-us/articles/360060591053",
  },
  {
    // Not yahoo.co.jp, which belongs to another company.
    domains: [
      ...under("yahoo", "com co.uk fr de it es ca in co.in co.id co.nz co.th co.za com.ar com.au com.br com.co com.hk"),
      ...under("yahoo", "com.mx com.my com.ph com.pe com.sg com.tr com.tw com.ve com.vn gr se dk no pl ro ie"),
    ],
    keyword: "-",
    source: "http://help.yahoo.com/help/uk/bt/tutorials/mail/addressguard2.html (a Yahoo ID has no hyphen of its own)",
  },
  {
    domains: ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"],
    canonicalDomain: "proton.me",
    ignored: "._-",
    tag: "+",
    source: "https://proton.me/support/change-username (characters) and /addresses-and-aliases (domains, tags)",
  },
  {
    domains: ["yandex.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "ya.ru"],
    canonicalDomain: "yandex.ru",
    interchangeable: "-.",
    tag: "+",
    source: "https://yandex.com/support/domain/additional/mailbox-alias.xml (domains); names: Yandex ID help",
  },
]

const RULES: ReadonlyMap<string, MailboxRule> = new Map(
  MAILBOX_RULES.flatMap((rule) => rule.domains.map((domain) => [domain, rule] as const)),
)

interface Mailbox {
  readonly local: string
  readonly domain: string
}

/**
 * Returns the same lower-case spelling for all addresses that certainly have the same mailbox. For duplicate detection,
 * not for sending. Dots and tags stay at unknown domains, whose hosts define the local part (RFC 5321 §2.3.11).
 * Letter case is folded at every domain. Quoted local parts follow no rule.
 */
export function canonicalMailbox({ local, domain, isQuoted }: ValidAddress): string {
  const typed = { local: lowerLocal(local), domain }
  const mailbox = isQuoted ? typed : ofNameSubdomain(typed)
  const rule = RULES.get(mailbox.domain)
  if (!rule) return `${mailbox.local}@${mailbox.domain}`
  const name = isQuoted ? mailbox.local : nameOf(mailbox.local, rule)
  return `${name}@${rule.canonicalDomain ?? mailbox.domain}`
}

/** Applies `hasNameSubdomains`, except to a name with a hyphen. The hyphen may replace an underscore. */
function ofNameSubdomain(typed: Mailbox): Mailbox {
  const dot = typed.domain.indexOf(".")
  const name = typed.domain.slice(0, dot)
  const parent = typed.domain.slice(dot + 1)
  const isCertain = RULES.get(parent)?.hasNameSubdomains && !name.includes("-")
  return isCertain ? { local: name, domain: parent } : typed
}

/** Applies the rule to a local part. The result is well-formed: a name that would become invalid stays unchanged. */
function nameOf(local: string, { tag, keyword, ignored = "", interchangeable = "" }: MailboxRule): string {
  const hyphen = keyword ? local.indexOf(keyword, 1) : -1
  if (hyphen > 0) return local.slice(0, hyphen + 1)
  const plus = tag ? local.indexOf(tag, 1) : -1
  const untagged = plus < 0 ? local : local.slice(0, plus)
  const name = [...untagged]
    .filter((letter) => !ignored.includes(letter))
    .map((letter) => (interchangeable.includes(letter) ? interchangeable[0] : letter))
    .join("")
  return name === "" || name.endsWith(".") ? local : name
}

/** Removes the tag: "anna+news@" becomes "anna@" (RFC 5233 §1). Null without a tag. */
export function withoutTag({ local, domain, isQuoted }: ValidAddress): ValidAddress | null {
  const plus = isQuoted ? -1 : local.indexOf("+", 1)
  const bare = plus < 0 ? null : parseAddress(`${local.slice(0, plus)}@${domain}`)
  return bare?.ok ? bare : null
}

/** Domains whose tags begin with "-". Yahoo user names contain none, so "name-shop" is always a Yahoo alias. */
const HYPHEN_TAGS = /^(yahoo\.[a-z.]{2,6}|ymail\.(com|ne\.jp)|rocketmail\.com|myyahoo\.com|yahoomail\.com)$/

/** Providers that read tag@user.<domain> as user+tag@<domain>. */
const SUBDOMAIN_USERS: ReadonlySet<string> = new Set([
  ...MAILBOX_RULES.flatMap((rule) => (rule.hasNameSubdomains ? rule.domains : [])),
  "sent.com",
])

interface Subaddress {
  /** The mailbox without its tag. */
  readonly mailbox: string
  readonly tag: string | null
}

/**
 * Splits a lower-case local part into mailbox and tag: by "+" anywhere (RFC 5233), by "-" at Yahoo, by the subdomain at
 * Fastmail. A tag needs a mailbox before it: "+tag" alone is a mailbox.
 */
export function splitSubaddress(local: string, domain: string): Subaddress {
  const parent = domain.slice(domain.indexOf(".") + 1)
  if (SUBDOMAIN_USERS.has(parent)) return { mailbox: domain.slice(0, domain.indexOf(".")), tag: local }
  const plus = cutAt(local, "+")
  if (plus.tag !== null || !HYPHEN_TAGS.test(domain)) return plus
  return cutAt(local, "-")
}

function cutAt(local: string, separator: string): Subaddress {
  const at = local.indexOf(separator, 1)
  return at < 0 ? { mailbox: local, tag: null } : { mailbox: local.slice(0, at), tag: local.slice(at + 1) }
}
