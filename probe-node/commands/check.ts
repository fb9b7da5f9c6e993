import { randomBytes } from "node:crypto"
import { domainToASCII } from "node:url"
import {
  PROBE_LIMITS,
  ProbeRecipient,
  type ProbeRequest,
  type RecipientLine,
  type RecipientOutcome,
  type SmtpReply,
} from "../../schema/wire/probe.ts"
import { readSettings } from "../config.ts"
import { addressesOf, createDoctorDns, type DoctorDns } from "../doctor/dns.ts"
import { createEngine, type EngineDeps, ProbeRun } from "../probe.ts"
import type { Mx } from "../smtp/route.ts"
import { fail, readArguments } from "./arguments.ts"
import { paint, printable, Transcript, transcriptText, wantsColor } from "./terminal.ts"

const OPTIONS = {
  json: { type: "boolean" },
  from: { type: "string" },
  "no-control": { type: "boolean" },
  "no-pipelining": { type: "boolean" },
  "no-starttls": { type: "boolean" },
} as const
const USAGE =
  "usage: check someone@example.org [--json] [--from <source IP>] [--no-control] [--no-pipelining] [--no-starttls]"

/** Probes one address and prints the SMTP transcript. The exit code is 1 without an answer to RCPT. */
export async function check(args: string[]): Promise<void> {
  const given = readArguments(args, OPTIONS)
  if (!given.ok) return fail([...given.problems, USAGE])
  if (given.positionals.length !== 1) return fail([USAGE])
  const address = readAddress(given.positionals[0]!)
  if (address === null) return fail(["not an email address"])
  const read = readSettings(process.env)
  if (!read.ok) return fail(read.problems)
  const { json, ...options } = given.values
  const { from } = options
  if (from !== undefined && !read.settings.sourceIps.includes(from)) return fail([`${from} is not in PROBE_SOURCE_IPS`])
  const colored = wantsColor(process.stdout)
  const transcript = new Transcript((line) => {
    if (!json) process.stdout.write(`${transcriptText(line, colored)}\n`)
  })
  const route = await findMailRoute(createDoctorDns(read.settings.dns), address.slice(address.lastIndexOf("@") + 1))
  const engine = { ...createEngine(read.settings), trace: transcript.trace }
  const line = route.kind === "none" ? null : await probe(engine, requestFor(address, route.hosts, options))
  if (json)
    process.stdout.write(`${JSON.stringify({ address, route, transcript: transcript.lines, result: line }, null, 2)}\n`)
  else process.stdout.write(`${inputsTable(verdictInputs(route, line), colored)}\n`)
  // The mail server has answered RCPT, or the command fails.
  if (line?.outcome.kind !== "reply" || line.outcome.stage !== "rcpt") process.exitCode = 1
}

type CheckOptions = Partial<Record<"no-control" | "no-pipelining" | "no-starttls", boolean>>

function requestFor(address: string, mx: Mx, options: CheckOptions & { readonly from?: string }): ProbeRequest {
  const randomRecipient = `${randomBytes(9).toString("hex")}@${address.slice(address.lastIndexOf("@") + 1)}`
  return {
    requestId: "check",
    deadlineMs: PROBE_LIMITS.deadlineMs,
    priority: "interactive",
    sourceIp: options.from ?? null,
    avoidSourceIps: [],
    groups: [
      {
        mx: [...mx],
        playbook: {
          operator: "check",
          pipelining: !options["no-pipelining"],
          starttls: !options["no-starttls"],
          control: "same-session",
          recipientsPerSession: 2,
          sessionsPerHost: 1,
        },
        recipients: [{ index: 0, address }],
        controls: options["no-control"] ? [] : [randomRecipient],
      },
    ],
  }
}

async function probe(engine: EngineDeps, request: ProbeRequest): Promise<RecipientLine | null> {
  const lines: RecipientLine[] = []
  await new ProbeRun(engine, request, (line) => lines.push(line)).done
  return lines[0] ?? null
}

function inputsTable(inputs: VerdictInputs, colored: boolean): string {
  const rows = inputs.map(([stage, finding]) => `${paint(stage.padEnd(14), "bold", colored)}  ${finding}`)
  return ["", ...rows, "", "The edge decides the verdict: GET /validate?email=…"].join("\n")
}

/** The address with its domain in A-labels. Null when it is not valid in RCPT TO. */
function readAddress(text: string): string | null {
  const at = text.lastIndexOf("@")
  const domain = domainToASCII(text.slice(at + 1))
  const address = `${text.slice(0, at)}@${domain}`
  return at > 0 && domain.includes(".") && ProbeRecipient.safeParse({ index: 0, address }).success ? address : null
}

type MailRoute =
  | { readonly kind: "mx" | "implicit"; readonly hosts: Mx }
  /** No mail host to probe, for this reason. */
  | { readonly kind: "none"; readonly why: string }

/** The mail hosts of a domain: its MX records, or the domain itself without any (RFC 5321 §5.1). */
async function findMailRoute(dns: DoctorDns, domain: string): Promise<MailRoute> {
  const mx = await dns.mx(domain)
  if (mx.kind === "records") {
    const hosts = mx.records
      .filter(({ exchange }) => exchange !== "")
      .map(({ exchange, priority }) => ({ host: exchange, preference: priority }))
      .toSorted((one, other) => one.preference - other.preference)
    return hosts.length > 0
      ? { kind: "mx", hosts }
      : { kind: "none", why: "a null MX: the domain accepts no mail (RFC 7505)" }
  }
  if (mx.kind === "no_such_domain") return { kind: "none", why: "the domain does not exist" }
  if (mx.kind === "failure") return { kind: "none", why: `DNS does not answer (${mx.code})` }
  const addresses = await addressesOf(dns, domain)
  if (addresses.kind === "records") return { kind: "implicit", hosts: [{ host: domain, preference: 0 }] }
  if (addresses.kind === "failure") return { kind: "none", why: `DNS does not answer (${addresses.code})` }
  return { kind: "none", why: "neither MX nor address" }
}

/** The inputs of the edge's verdict: stage and finding, in the order of the session. */
type VerdictInputs = readonly (readonly [stage: string, finding: string])[]

function verdictInputs(route: MailRoute, line: RecipientLine | null): VerdictInputs {
  const rows: [string, string][] = [["dns", routeText(route)]]
  if (!line) return rows
  const { session, attempts, outcome, control } = line
  for (const { mxHost, address, outcome: why } of attempts)
    rows.push(["skipped", `${mxHost}${address ? ` [${address}]` : ""}: ${outcomeText(why)}`])
  if (session)
    rows.push(
      ["connect", `${session.mxHost} [${session.address}] from ${session.sourceIp}, ${session.connectMs} ms`],
      ["banner", replyText(session.greeting)],
      ["ehlo", helloText(session)],
      ["tls", tlsText(session)],
      ["mail", replyText(session.mail)],
    )
  rows.push(
    ["rcpt", outcomeText(outcome)],
    ["catch-all", control ? outcomeText(control) : "not probed"],
    ["total", `${line.totalMs} ms`],
  )
  return rows.map(([stage, finding]) => [stage, printable(finding)])
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
  if (!ehlo) return replyText(null)
  const [greeting = ""] = ehlo.text.split("\n", 1)
  return `${replyText({ ...ehlo, text: greeting })}; offers ${extensions.join(", ") || "nothing"}`
}

function tlsText({ tls, ehlo, extensions }: NonNullable<RecipientLine["session"]>): string {
  if (!ehlo) return "not reached"
  if (!tls) return extensions.includes("STARTTLS") ? "offered, not used" : "not offered"
  return `${tls.protocol}, ${tls.authorized ? "certificate valid" : `certificate invalid: ${tls.problem}`}`
}
