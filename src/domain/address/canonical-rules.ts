/** How a provider maps several spellings of an address to the same mailbox. */
export interface MailboxRule {
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
