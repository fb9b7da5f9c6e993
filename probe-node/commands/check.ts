import { randomBytes } from "node:crypto"
import { domainToASCII } from "node:url"
import { PROBE_LIMITS, ProbeRecipient, type ProbeRequest, type RecipientLine } from "../../schema/wire/probe.ts"
import { readSettings } from "../config.ts"
import { createDoctorDns } from "../doctor/dns.ts"
import { createEngine } from "../engine.ts"
import { ProbeRun } from "../probe.ts"
import type { Mx } from "../smtp/route.ts"
import { fail, readArguments } from "./arguments.ts"
import { findMailRoute } from "./mail-route.ts"
import { paint, wantsColor } from "./paint.ts"
import { Transcript, transcriptText } from "./transcript.ts"
import { isAnswered, type VerdictInputs, verdictInputs } from "./verdict-inputs.ts"

const OPTIONS = {
  json: { type: "boolean" },
  from: { type: "string" },
  "no-control": { type: "boolean" },
  "no-pipelining": { type: "boolean" },
  "no-starttls": { type: "boolean" },
} as const
const USAGE =
  "usage: check someone@example.org [--json] [--from <source IP>] [--no-control] [--no-pipelining] [--no-starttls]"

interface CheckOptions {
  readonly from?: string | undefined
  readonly "no-control"?: boolean | undefined
  readonly "no-pipelining"?: boolean | undefined
  readonly "no-starttls"?: boolean | undefined
}

/** Probes one address and prints the SMTP transcript. The exit code is 1 without an answer to RCPT. */
export async function check(args: string[]): Promise<void> {
  const given = readArguments(args, OPTIONS)
  if (!given.ok) return fail([...given.problems, USAGE])
  const address = given.positionals.length === 1 ? readAddress(given.positionals[0]!) : null
  if (address === null) return fail([given.positionals.length === 1 ? "not an email address" : USAGE])
  const read = readSettings(process.env)
  if (!read.ok) return fail(read.problems)
  const { from } = given.values
  if (from !== undefined && !read.settings.sourceIps.includes(from)) return fail([`${from} is not in PROBE_SOURCE_IPS`])
  const { json, ...options } = given.values
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
  if (!isAnswered(line)) process.exitCode = 1
}

function requestFor(address: string, mx: Mx, options: CheckOptions): ProbeRequest {
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

async function probe(engine: ConstructorParameters<typeof ProbeRun>[0], request: ProbeRequest) {
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
