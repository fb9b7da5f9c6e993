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

/** Short text for each fact of a domain. */
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
  const reply = (fact: string, given: SmtpReply | null | undefined, points = 0): Entry[] =>
    given ? [{ ...at, fact, value: String(given.code), reply: hidden(given, evidence), points }] : []
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
      ...{ ...at, fact: "rcpt", ...outcomeEntry(outcome, replies.recipient, evidence) },
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
