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
import { paint, wantsColour } from "./paint.ts"
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

interface Manner {
  readonly from?: string | undefined
  readonly "no-control"?: boolean | undefined
  readonly "no-pipelining"?: boolean | undefined
  readonly "no-starttls"?: boolean | undefined
}

/** Asks about one address as a probe would and prints all that is said; ends with 1 when nobody answered RCPT. */
export async function check(args: string[]): Promise<void> {
  const given = readArguments(args, OPTIONS)
  if (!given.ok) return fail([...given.problems, USAGE])
  const address = given.positionals.length === 1 ? readAddress(given.positionals[0]!) : null
  if (address === null) return fail([given.positionals.length === 1 ? "that is not an email address" : USAGE])
  const read = readSettings(process.env)
  if (!read.ok) return fail(read.problems)
  const { from } = given.values
  if (from !== undefined && !read.settings.sourceIps.includes(from)) return fail([`${from} is not in PROBE_SOURCE_IPS`])
  const { json, ...manner } = given.values
  const coloured = wantsColour(process.stdout)
  const transcript = new Transcript((line) => {
    if (!json) process.stdout.write(`${transcriptText(line, coloured)}\n`)
  })
  const route = await findMailRoute(createDoctorDns(read.settings.dns), address.slice(address.lastIndexOf("@") + 1))
  const engine = { ...createEngine(read.settings), trace: transcript.trace }
  const line = route.kind === "none" ? null : await probe(engine, requestFor(address, route.hosts, manner))
  if (json)
    process.stdout.write(`${JSON.stringify({ address, route, transcript: transcript.lines, result: line }, null, 2)}\n`)
  else process.stdout.write(`${inputsTable(verdictInputs(route, line), coloured)}\n`)
  if (!isAnswered(line)) process.exitCode = 1
}

function requestFor(address: string, mx: Mx, manner: Manner): ProbeRequest {
  const sibling = `${randomBytes(9).toString("hex")}@${address.slice(address.lastIndexOf("@") + 1)}`
  return {
    requestId: "check",
    deadlineMs: PROBE_LIMITS.deadlineMs,
    priority: "interactive",
    sourceIp: manner.from ?? null,
    avoidSourceIps: [],
    groups: [
      {
        mx: [...mx],
        playbook: {
          operator: "check",
          pipelining: !manner["no-pipelining"],
          starttls: !manner["no-starttls"],
          control: "same-session",
          recipientsPerSession: 2,
          sessionsPerHost: 1,
        },
        recipients: [{ index: 0, address }],
        controls: manner["no-control"] ? [] : [sibling],
      },
    ],
  }
}

async function probe(engine: ConstructorParameters<typeof ProbeRun>[0], request: ProbeRequest) {
  const lines: RecipientLine[] = []
  await new ProbeRun(engine, request, (line) => lines.push(line)).done
  return lines[0] ?? null
}

function inputsTable(inputs: VerdictInputs, coloured: boolean): string {
  const rows = inputs.map(([stage, finding]) => `${paint(stage.padEnd(14), "bold", coloured)}  ${finding}`)
  return ["", ...rows, "", "What it means is judged by the edge: GET /validate?email=…"].join("\n")
}

/** The address with its domain in A-labels; null when it could not go into RCPT TO. */
function readAddress(text: string): string | null {
  const at = text.lastIndexOf("@")
  const domain = domainToASCII(text.slice(at + 1))
  const address = `${text.slice(0, at)}@${domain}`
  return at > 0 && domain.includes(".") && ProbeRecipient.safeParse({ index: 0, address }).success ? address : null
}
