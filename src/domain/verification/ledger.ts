import type { RecipientOutcome, SmtpReply } from "../../../schema/wire/probe.ts"
import { classifyOutcome, type ReplyVerdict } from "../smtp-reply/classify-reply.ts"
import type { DomainFacts, Evidence, FactName } from "./evidence.ts"
import { mxPoints } from "./score.ts"
import { maskOtherAddresses } from "./transcript.ts"
import type { Verification } from "./verification.ts"

/** One fact of a verification, in the order of discovery, with its effect on the score. */
export interface LedgerEntry {
  readonly phase: "syntax" | "lists" | "domain" | "mailbox" | "signals" | "verdict" | "score"
  readonly fact: string
  /** Short value of the fact; null when unknown. */
  readonly value: string | null
  /** The SMTP reply behind the fact. */
  readonly reply: SmtpReply | null
  /** The rule that classified the reply or drew the conclusion. */
  readonly rule: string | null
  /** The points of all entries add up to the score. */
  readonly points: number
  readonly node: string | null
  /** Time of the finding, Unix ms; null for a conclusion, which is computed each time. */
  readonly foundAt: number | null
}

type Entry = Pick<LedgerEntry, "phase" | "fact" | "value"> & Partial<LedgerEntry>

/** Lists the evidence of a verification in order. Pure, so that it also explains a cached result. */
export function ledgerOf(verification: Verification): LedgerEntry[] {
  const { evidence, verdict, score, isSuppressed, reports } = verification
  const entries: Entry[] = [
    { phase: "score", fact: "base", value: null, points: score.breakdown.base },
    syntaxEntry(evidence),
    ...listEntries(verification),
    ...(evidence.domain ? domainEntries(evidence.domain, verification) : []),
    ...mailboxEntries(verification),
    ...signalEntries(verification),
    { phase: "verdict", fact: "status", value: verdict.status, rule: verdict.finding },
    ...(reports.hasBounced ? [{ phase: "verdict" as const, fact: "bounce_reported", value: "yes" }] : []),
    ...(reports.hasComplained ? [{ phase: "verdict" as const, fact: "complaint_reported", value: "yes" }] : []),
    ...(isSuppressed ? [{ phase: "verdict" as const, fact: "suppressed", value: "yes" }] : []),
    modelEntry(verification),
  ]
  const sum = entries.reduce((total, { points = 0 }) => total + points, 0)
  if (sum !== score.total)
    entries.push({ phase: "score", fact: "capped", value: verdict.status, points: score.total - sum })
  return entries.map((entry) => ({ reply: null, rule: null, points: 0, node: null, foundAt: null, ...entry }))
}

function modelEntry({ prediction, score: { breakdown } }: Verification): Entry {
  const points = breakdown.mlAdjustment
  if (!prediction) return { phase: "score", fact: "model", value: null, points }
  const rule = prediction.version === 0 ? "model.prior" : `model.${prediction.version}`
  return { phase: "score", fact: "model", value: prediction.probability.toFixed(3), rule, points }
}

function syntaxEntry({ address }: Evidence): Entry {
  const rule = address.ok ? null : address.reason
  return { phase: "syntax", fact: "syntax", value: address.ok ? "valid" : "invalid", rule }
}

function listEntries({ evidence: { lists }, score: { breakdown } }: Verification): Entry[] {
  const classes: readonly (readonly [string, boolean, number])[] = [
    ["disposable", lists.isDisposable, breakdown.disposablePenalty],
    ["relay", lists.isRelay, 0],
    ["role_account", lists.isRole, breakdown.rolePenalty],
    ["free_provider", lists.isFree, 0],
    ["subaddress", lists.isSubaddress, 0],
    ["government", lists.isGovernment, 0],
    ["education", lists.isEducation, 0],
  ]
  return classes.flatMap(([fact, holds, points]) =>
    holds || points !== 0 ? [{ phase: "lists" as const, fact, value: "yes", points }] : [],
  )
}

const FACT_WORDS: { readonly [Name in FactName]: (value: NonNullable<DomainFacts[Name]>) => string } = {
  route: ({ kind }) => kind,
  exchangers: (hosts) => `${hosts.filter(({ addresses }) => addresses?.length !== 0).length} of ${hosts.length} alive`,
  spf: ({ kind }) => kind,
  dkim: ({ present }) => (present === null ? "unknown selector" : present ? "present" : "not found"),
  dmarc: (dmarc) => (dmarc.kind === "record" ? dmarc.policy : dmarc.kind),
  mtaSts: (mtaSts) => (mtaSts.kind === "policy" ? mtaSts.mode : mtaSts.kind),
  bimi: ({ kind }) => kind,
  registration: ({ kind }) => kind,
  web: ({ site, parkedAt }) => (parkedAt ? `parked at ${parkedAt}` : site),
  rbl: ({ matched, checked }) => (matched.length > 0 ? matched.join(" ") : `clear on ${checked.length}`),
}

function domainEntries(domain: DomainFacts, { evidence, verdict, score: { breakdown } }: Verification): Entry[] {
  const names = (Object.keys(FACT_WORDS) as FactName[]).filter((name) => domain[name] !== undefined)
  const { route, spf, dmarc } = mxPoints(evidence, verdict)
  const points: Partial<Record<FactName, number>> = { route, spf, dmarc, rbl: breakdown.rblPenalty }
  return names.map((name) => ({
    phase: "domain",
    fact: name,
    value: wordOf(name, domain),
    points: points[name] ?? 0,
    foundAt: domain.checkedAt[name] ?? null,
  }))
}

function wordOf<Name extends FactName>(name: Name, domain: DomainFacts): string | null {
  const value = domain[name]
  return value == null ? null : FACT_WORDS[name](value as NonNullable<DomainFacts[Name]>)
}

function mailboxEntries({ evidence, replies, verdict, score: { breakdown } }: Verification): Entry[] {
  const { mailbox, probeProblem } = evidence
  if (!mailbox) return probeProblem ? [{ phase: "mailbox", fact: "probe", value: null, rule: probeProblem }] : []
  const { session, attempts, control, outcome } = mailbox
  const earned = mxPoints(evidence, verdict)
  const at = { phase: "mailbox", node: mailbox.nodeId, foundAt: mailbox.askedAt } as const
  const reply = (fact: string, smtpReply: SmtpReply | null | undefined, points = 0): Entry[] =>
    smtpReply ? [{ ...at, fact, value: String(smtpReply.code), reply: hidden(smtpReply, evidence), points }] : []
  return [
    ...attempts.map((attempt) => ({
      ...at,
      fact: "earlier_host",
      ...outcomeEntry(attempt.outcome, classifyOutcome(attempt.outcome, session), evidence),
    })),
    ...reply("greeting", session?.greeting, earned.greeting),
    ...reply("ehlo", session?.ehlo),
    ...(session?.tls ? [{ ...at, fact: "tls", value: session.tls.protocol }] : []),
    ...reply("mail", session?.mail),
    {
      ...at,
      fact: "rcpt",
      ...outcomeEntry(outcome, replies.recipient, evidence),
      points: breakdown.smtpBonus + earned.rcpt,
    },
    ...(control ? [{ ...at, fact: "random_recipient", ...outcomeEntry(control, replies.random, evidence) }] : []),
  ]
}

function signalEntries({ evidence: { gravatar }, breach, catchAll, score: { breakdown } }: Verification): Entry[] {
  const entries: Entry[] = []
  const add = (fact: string, value: string | null, more: Partial<Entry> = {}) =>
    entries.push({ phase: "signals", fact, value, ...more })
  if (gravatar) add("gravatar", word(gravatar.found), { foundAt: gravatar.checkedAt })
  if (breach !== undefined) add("breaches", typeof breach === "string" ? null : String(breach.count))
  if (catchAll) {
    const rule = catchAll.modelVersion === 0 ? "classifier.prior" : `classifier.${catchAll.modelVersion}`
    add("catch_all", catchAll.probability.toFixed(3), { rule, points: breakdown.catchAllBonus })
  }
  if (breakdown.receivedBonus !== 0) add("received", "yes", { points: breakdown.receivedBonus })
  return entries
}

function outcomeEntry(
  outcome: RecipientOutcome,
  classified: ReplyVerdict | null,
  evidence: Evidence,
): Pick<LedgerEntry, "value" | "reply" | "rule"> {
  if (outcome.kind === "failure") return { value: outcome.failure, reply: null, rule: `failure.${outcome.stage}` }
  return { value: classified?.class ?? null, reply: hidden(outcome.reply, evidence), rule: classified?.ruleId ?? null }
}

function hidden(reply: SmtpReply, { address }: Evidence): SmtpReply {
  return { ...reply, text: maskOtherAddresses(reply.text, address) }
}

function word(found: boolean | null): string | null {
  return found === null ? null : found ? "yes" : "no"
}

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

/** What is wrong with a malformed address, by the reason of the ledger's entry `syntax`. */
const SYNTAX_WORDS: Readonly<Record<string, string>> = {
  empty: "it is empty",
  too_long: "it is too long",
  no_at_sign: "it has no @ sign",
  at_sign_in_domain: "it has a second @ sign",
  several_addresses: "it lists several addresses",
  white_space: "it has white space inside",
  control_character: "it has a control character or a line break",
  invisible_character: "it has an invisible character",
  not_a_character: "it has an incomplete character",
  comment: "it has a comment in parentheses",
  empty_local: "nothing precedes the @ sign",
  local_too_long: "the part before the @ sign is too long",
  leading_dot: "it begins with a dot",
  trailing_dot: "a dot precedes the @ sign",
  double_dot: "it has two dots in a row before the @ sign",
  bad_local_character: "a character before the @ sign is not allowed",
  misplaced_quote: "it has a quotation mark in the wrong place",
  unclosed_quote: "its quotation mark is never closed",
  bad_quoted_character: "a character inside the quotes is not allowed",
  empty_domain: "nothing follows the @ sign",
  domain_too_long: "its domain is too long",
  empty_label: "its domain has two dots in a row, or begins with a dot",
  label_too_long: "a part of its domain is too long",
  bad_hyphen: "its domain has a hyphen in the wrong place",
  bad_domain_character: "its domain has a character that is not allowed",
  bad_idn_label: "its domain is not a valid international name",
  single_label: "its domain has no dot",
  numeric_tld: "its domain ends with a number",
  ip_address: "its domain is a bare IP address",
  address_literal: "it has an IP address instead of a domain",
  bad_address_literal: "the IP address in its brackets is not well-formed",
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
