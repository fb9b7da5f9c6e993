import type { SmtpFailure, SmtpStage } from "../../../schema/vocabulary.ts"
import type { RecipientLine, RecipientOutcome, SessionReport, SmtpReply } from "../../../schema/wire/probe.ts"
import { LINE_LIMITS, type MxAttempt, type ProbeGroup, type ProbeRequest } from "../../../schema/wire/probe.ts"
import { type HostScript, MAIL_HOSTS, type MailHost, type Step } from "./mail-hosts.ts"
import { SmtpSession, wireReply } from "./smtp-session.ts"
import { DOMAINS_BY_HOST } from "./zone.ts"
import { lookUp } from "./zone-lookup.ts"

/** The source IPs of the sandbox's only node, as in `npm start`. One mail host refuses the first. */
const SOURCE_IPS = ["127.0.0.1", "127.0.0.2"] as const
const HELO_NAME = "probe.mailverdict.test"
const ENVELOPE_SENDER = "probe@mailverdict.test"
/** What a greylisting host asks for: less than the service waits before its next attempt. */
const GREYLIST_SECONDS = 1
/** Codes by which a server says that it does not support EHLO (RFC 5321 §3.2). */
const NO_EHLO = [500, 502, 504]

/** What the silence of a host means to its client. */
const FAILURES: Readonly<Record<Exclude<Step, string>["act"], readonly [SmtpFailure, string]>> = {
  hang: ["timeout", "no reply in time"],
  close: ["reset", "the server closed the connection"],
  reset: ["reset", "the server reset the connection"],
  raw: ["protocol", "not an SMTP reply"],
}

/**
 * Probes the sandbox's mail hosts without a network, and returns one line for each recipient, like a probe node. The hosts
 * have the same scripts as those of `npm start`. Greylisting accepts a probe that comes from the source IP of one before.
 */
export function probeMailHosts({ groups, sourceIp, avoidSourceIps }: ProbeRequest): RecipientLine[] {
  const client = sourceIp ?? SOURCE_IPS.find((ip) => !avoidSourceIps.includes(ip)) ?? SOURCE_IPS[0]
  const from: Client = { address: client, secondsToWait: sourceIp === null ? GREYLIST_SECONDS : 0 }
  return groups.flatMap((group) => {
    const controls = new Map(
      group.controls.map((address) => [domainOf(address), probeOne(group, address, from).outcome]),
    )
    return group.recipients.map(({ index, address }) => {
      const control = controls.get(domainOf(address)) ?? null
      return { type: "recipient" as const, index, ...probeOne(group, address, from), control, totalMs: 0 }
    })
  })
}

interface Client {
  readonly address: string
  /** Seconds that a greylisting host still makes it wait. */
  readonly secondsToWait: number
}

type Probed = Pick<RecipientLine, "outcome" | "session" | "attempts">

/** Asks the mail hosts by preference about one recipient, until one answers it (RFC 5321 §5.1). */
function probeOne({ mx }: Pick<ProbeGroup, "mx">, recipient: string, from: Client): Probed {
  const attempts: MxAttempt[] = []
  let last: Omit<Probed, "attempts"> = { outcome: failure("connect", "dns", "no address"), session: null }
  for (const { host } of mx.toSorted((a, b) => a.preference - b.preference)) {
    const { address, found } = hostOf(host)
    last = found ? new Dialogue({ host, found, from }).ask(recipient) : { outcome: unreachable(address), session: null }
    if (!isWorthAnotherHost(last.outcome)) break
    if (attempts.length < LINE_LIMITS.attempts) attempts.push({ mxHost: host, address, outcome: last.outcome })
  }
  return { ...last, attempts }
}

/** A refusal at MAIL or RCPT is the answer of the domain. */
function isWorthAnotherHost(outcome: RecipientOutcome): boolean {
  if (outcome.kind === "failure") return outcome.failure !== "smtputf8_unsupported"
  return outcome.stage === "banner" || outcome.stage === "ehlo"
}

/** The address of a mail host in the zone, and the host that runs there. */
function hostOf(name: string): { readonly address: string | null; readonly found: MailHost | undefined } {
  const answer = lookUp({ name, type: "A" })
  const record = answer.kind === "answer" ? answer.answers.find(({ type }) => type === "A") : undefined
  const address = record?.type === "A" ? record.data : null
  const found = MAIL_HOSTS.find((one) => one.address === address && one.runs.kind !== "nothing")
  return { address, found }
}

function unreachable(address: string | null): RecipientOutcome {
  if (address === null) return failure("connect", "dns", "the host has no address")
  if (!MAIL_HOSTS.some((one) => one.address === address))
    return failure("connect", "blocked_address", "not a public address")
  return failure("connect", "refused", "connection refused")
}

/** One SMTP session with a host, command by command. */
class Dialogue {
  readonly #setting: { readonly host: string; readonly found: MailHost; readonly from: Client }
  readonly #session: SmtpSession
  /** Why no further reply comes. */
  #silence: keyof typeof FAILURES | null = null
  readonly #replies: { greeting: SmtpReply | null; ehlo: SmtpReply | null; mail: SmtpReply | null } = {
    greeting: null,
    ehlo: null,
    mail: null,
  }

  constructor(setting: { readonly host: string; readonly found: MailHost; readonly from: Client }) {
    const { found, from } = setting
    this.#setting = setting
    this.#session = new SmtpSession({
      host: found.name,
      client: from.address,
      script: scriptOf(found),
      domains: DOMAINS_BY_HOST.get(found.name) ?? new Set(),
      secondsToWait: () => from.secondsToWait,
    })
  }

  /** Greets the host and names one recipient. */
  ask(recipient: string): Omit<Probed, "attempts"> {
    const outcome = this.#ask(recipient)
    return { outcome, session: this.#report() }
  }

  #ask(recipient: string): RecipientOutcome {
    const greeting = this.#read("banner", this.#session.greet())
    if (greeting.kind === "failure") return greeting
    this.#replies.greeting = greeting.reply
    if (greeting.reply.code !== 220) return greeting
    const hello = this.#hello()
    if (hello.kind === "failure" || hello.reply.code !== 250) return hello
    const isUnicode = /[^\p{ASCII}]/u.test(recipient)
    if (isUnicode && !this.#session.extensions.includes("SMTPUTF8"))
      return failure("mail", "smtputf8_unsupported", "the server does not offer SMTPUTF8")
    const mail = this.#command("mail", `MAIL FROM:<${ENVELOPE_SENDER}>${isUnicode ? " SMTPUTF8" : ""}`)
    if (mail.kind === "failure") return mail
    this.#replies.mail = mail.reply
    return mail.reply.code < 300 ? this.#command("rcpt", `RCPT TO:<${recipient}>`) : mail
  }

  #hello(): RecipientOutcome {
    const first = this.#command("ehlo", `EHLO ${HELO_NAME}`)
    const isOld = first.kind === "reply" && NO_EHLO.includes(first.reply.code)
    const hello = isOld ? this.#command("ehlo", `HELO ${HELO_NAME}`) : first
    if (hello.kind === "reply") this.#replies.ehlo = hello.reply
    return hello
  }

  #command(stage: SmtpStage, line: string): RecipientOutcome {
    return this.#read(stage, this.#silence ? [] : this.#session.answer(line))
  }

  /** Reads one reply. What a host does after it ends the session for the next command. */
  #read(stage: SmtpStage, [first, next]: readonly Step[]): RecipientOutcome {
    const then = typeof next === "object" ? next.act : null
    if (typeof first === "string") {
      this.#silence ??= first.startsWith("421") ? "close" : then
      return { kind: "reply", stage, reply: toReply(first) }
    }
    this.#silence ??= first?.act ?? "close"
    return failure(stage, ...FAILURES[this.#silence])
  }

  #report(): SessionReport {
    const { host, found, from } = this.#setting
    return {
      mxHost: host,
      address: found.address,
      sourceIp: from.address,
      heloName: HELO_NAME,
      envelopeSender: ENVELOPE_SENDER,
      ...this.#replies,
      extensions: [...this.#session.extensions],
      tls: null,
      connectMs: 0,
    }
  }
}

/** Hosts that run on a library in `npm start` have the same mailboxes here. */
function scriptOf({ runs }: MailHost): HostScript {
  if (runs.kind === "script") return runs.script
  if (runs.kind === "library" && runs.role === "inbox") return { otherMailboxes: ["250 2.1.5 Ok"] }
  return { mailboxes: { alice: ["250 2.1.5 Ok"] } }
}

/** The reply as a client reads it from the wire, without the code of each line. */
function toReply(reply: string): SmtpReply {
  const lines = wireReply(reply).trimEnd().split("\r\n")
  const text = lines.map((line) => line.slice(4)).join("\n")
  const enhanced = /^\d\.\d+\.\d+/.exec(text)?.[0] ?? null
  return { code: Number(reply.slice(0, 3)), enhanced, text, ms: 0 }
}

function failure(stage: SmtpStage, kind: SmtpFailure, detail: string): RecipientOutcome {
  return { kind: "failure", stage, failure: kind, detail, ms: 0 }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}
