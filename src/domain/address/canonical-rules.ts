/** How one provider maps several spellings of an address to one mailbox. */
export interface MailboxRule {
  /** The first is the canonical one; the others name the same mailboxes. */
  readonly domains: readonly string[]
  /** Characters of the local part that do not count, as ".-_". */
  readonly ignored?: string
  /** The character that begins a tag the mailbox ignores. */
  readonly tag?: "+" | "-"
  /** name@user.<domain> is a tag of user@<domain>. */
  readonly subdomainIsUser?: true
  /** Characters that stand for one another: the first is canonical. */
  readonly interchangeable?: string
  /** The provider's own documentation. */
  readonly source: string
}

/** Only what a provider documents; a rule of hearsay could merge two people's mailboxes. */
export const MAILBOX_RULES: readonly MailboxRule[] = [
  {
    domains: ["gmail.com", "googlemail.com"],
    ignored: ".",
    tag: "+",
    source: "https://support.google.com/mail/answer/7436150 (dots), /22370 (tags), /10313 (googlemail.com)",
  },
]
