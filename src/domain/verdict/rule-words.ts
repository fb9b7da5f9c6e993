import { SYNTAX_WORDS } from "./syntax-words.ts"

/** What a rule of the ledger means. [the rule's name or its first part, words] */
const RULES: Readonly<Record<string, string>> = {
  reply: "The reply has no words that a rule knows, so its code alone decides.",
  "reply.accepted": "The server accepted the recipient (code 250, 251 or 252).",
  "reply.unexpected": "The server answered with a code that does not fit the command.",
  code: "The enhanced status code of the reply decides (RFC 3463).",
  greylist: "The reply names greylisting: the server accepts mail of new senders only at a later try.",
  passing: "The reply describes a problem that passes. It says nothing about the mailbox.",
  trouble: "The reply describes a fault of the server. It says nothing about the mailbox.",
  missing: "The reply says that the mailbox or its domain does not exist.",
  disabled: "The reply says that the mailbox is disabled.",
  full: "The reply says that the mailbox is full or over its quota.",
  ip: "The reply refuses our IP or host. It says nothing about the mailbox.",
  ptr: "The reply refuses the reverse name of our IP. It says nothing about the mailbox.",
  helo: "The reply refuses the name of our host. It says nothing about the mailbox.",
  own: "The reply refuses a name of ours. It says nothing about the mailbox.",
  sender: "The reply refuses our sender address. It says nothing about the mailbox.",
  rate: "The reply refuses our rate, or too many recipients at once. It says nothing about the mailbox.",
  harvest: "The reply blocks us for too many unknown recipients. It says nothing about the mailbox.",
  policy: "The reply refuses by a policy of the server. It says nothing about the mailbox.",
  scope: "The server takes mail for this recipient only from some senders. It says nothing about the mailbox.",
  relay: "The server does not accept mail for this domain from us. It says nothing about the mailbox.",
  size: "The reply refuses the size of a message. It says nothing about the mailbox.",
  tls: "The server requires encryption. It says nothing about the mailbox.",
  failure: "The SMTP session ended at this command, without a reply.",
  model: "The model's delivery probability.",
  classifier: "The catch-all classifier's probability that the mailbox exists.",
}

/** What a finding means: the conclusion behind the status, or why there was no probe. */
const FINDINGS: Readonly<Record<string, string>> = {
  malformed: "The address breaks a rule of the format (RFC 5321), so nothing else is checked.",
  null_mx: "The domain publishes that it accepts no mail (RFC 7505).",
  no_mail_host: "DNS names no mail server for the domain, so no mail can arrive.",
  dns_failure: "DNS gave no usable answer. It says nothing about the mailbox.",
  mailbox_missing: "The server refused the recipient because there is no such mailbox.",
  mailbox_disabled: "The server refused the recipient because the mailbox is disabled.",
  mailbox_full: "The server refused the recipient because the mailbox is full. The mailbox exists.",
  hard_bounce: "Your account reported that its mail bounced. That outweighs the server's reply.",
  catch_all: "The server also accepted a random recipient, so its answer proves nothing.",
  catch_all_inconclusive: "The answer about a random recipient was unclear, so a catch-all is not ruled out.",
  unverifiable_operator: "This provider accepts each recipient and bounces later, so its answer proves nothing.",
  greylisted: "The server accepts mail of new senders only at a later try.",
  temporary_failure: "The server reported a problem that passes.",
  refused_probe: "The server refused our probe, not the mailbox.",
  relay_denied: "The server does not accept mail for this domain from us.",
  protocol_error: "The server's answers do not follow SMTP.",
  unreachable: "The mail server gave no answer.",
  throttled: "Our own limits stopped the probe. It says nothing about the mailbox.",
  smtputf8_unsupported: "The address needs SMTPUTF8 (RFC 6531), which the server does not offer.",
  no_probe_node: "No probe node was available to contact the mail server.",
  no_node: "No probe node was available to contact the mail server.",
  deadline: "The time limit passed before the probe ended.",
  not_probed: "The request asked for no probe of the mail server.",
}

/** Explains a rule of the ledger in plain words; null for an unknown one. */
export function ruleWords(rule: string): string | null {
  const fault = SYNTAX_WORDS[rule]
  if (fault) return `This is not an email address: ${fault}.`
  return FINDINGS[rule] ?? RULES[rule] ?? RULES[rule.split(".")[0] ?? ""] ?? null
}
