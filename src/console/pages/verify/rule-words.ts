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
  model: "The model's delivery probability. Its version follows the dot.",
  classifier: "The catch-all classifier's probability that the mailbox exists. Its version follows the dot.",
}

/** Explains a rule in plain words; null for a name that explains itself, such as `mailbox_full`. */
export function ruleWords(rule: string): string | null {
  return RULES[rule] ?? RULES[rule.split(".")[0] ?? ""] ?? null
}
