import type { RecipientLine, RecipientOutcome, SmtpReply } from "../../schema/wire/probe.ts"
import type { MailRoute } from "./mail-route.ts"
import { printable } from "./transcript.ts"

/** The inputs of the edge's verdict: stage and finding, in the order of the session. */
export type VerdictInputs = readonly (readonly [stage: string, finding: string])[]

export function verdictInputs(route: MailRoute, line: RecipientLine | null): VerdictInputs {
  const rows: [string, string][] = [["dns", routeText(route)]]
  if (!line) return rows
  const { session, attempts, outcome, control } = line
  for (const { mxHost, address, outcome: why } of attempts)
    rows.push(["skipped", `${mxHost}${address ? ` [${address}]` : ""}: ${outcomeText(why)}`])
  if (session) {
    rows.push(["connect", `${session.mxHost} [${session.address}] from ${session.sourceIp}, ${session.connectMs} ms`])
    rows.push(["banner", replyText(session.greeting)])
    rows.push(["ehlo", helloText(session)])
    rows.push(["tls", tlsText(session)])
    rows.push(["mail", replyText(session.mail)])
  }
  rows.push(["rcpt", outcomeText(outcome)])
  rows.push(["catch-all", control ? outcomeText(control) : "not probed"])
  rows.push(["total", `${line.totalMs} ms`])
  return rows.map(([stage, finding]) => [stage, printable(finding)])
}

/** Whether the mail server answered RCPT. */
export function isAnswered(line: RecipientLine | null): boolean {
  return line?.outcome.kind === "reply" && line.outcome.stage === "rcpt"
}

function routeText(route: MailRoute): string {
  if (route.kind === "none") return route.why
  if (route.kind === "implicit") return `no MX; the domain itself (RFC 5321 §5.1)`
  return route.hosts.map(({ host, preference }) => `MX ${preference} ${host}`).join(", ")
}

function outcomeText(outcome: RecipientOutcome): string {
  if (outcome.kind === "failure") return `no answer: ${outcome.failure} at ${outcome.stage} (${outcome.detail})`
  return outcome.stage === "rcpt"
    ? replyText(outcome.reply)
    : `refused at ${outcome.stage}: ${replyText(outcome.reply)}`
}

function replyText(reply: SmtpReply | null): string {
  if (!reply) return "not reached"
  const text = reply.text.split("\n").map((line) => line.trim())
  const enhanced = reply.enhanced && !text[0]?.startsWith(reply.enhanced) ? ` ${reply.enhanced}` : ""
  return `${reply.code}${enhanced} ${text.join(" ")}, ${reply.ms} ms`
}

function helloText({ ehlo, extensions }: NonNullable<RecipientLine["session"]>): string {
  const [greeting = ""] = ehlo?.text.split("\n", 1) ?? []
  return ehlo
    ? `${replyText({ ...ehlo, text: greeting })}; offers ${extensions.join(", ") || "nothing"}`
    : replyText(ehlo)
}

function tlsText({ tls, ehlo, extensions }: NonNullable<RecipientLine["session"]>): string {
  if (!ehlo) return "not reached"
  if (!tls) return extensions.includes("STARTTLS") ? "offered, not used" : "not offered"
  return `${tls.protocol}, ${tls.authorized ? "certificate valid" : `certificate invalid: ${tls.problem}`}`
}
