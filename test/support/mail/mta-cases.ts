import { readFileSync } from "node:fs"
import { expect, type TestContext } from "vitest"
import type { ServerAnswer } from "../../../scripts/bench/verdicts/parts.ts"
import { isTruth, type Truth, verdictOf } from "../../../scripts/bench/verdicts/score.ts"
import { examine } from "./mta-probe.ts"
import type { Listener } from "./mta-root.ts"

declare module "vitest" {
  interface TaskMeta {
    serverAnswer?: ServerAnswer
  }
}

/** A line of test/mta/cases.tsv, which describes the columns. */
export interface ServerCase {
  readonly server: string
  readonly service: string
  readonly from: string
  readonly address: string
  readonly truth: Truth
  readonly summary: string
  readonly reply: RegExp
}

const TABLE = new URL("../../mta/cases.tsv", import.meta.url)

/** All cases of the table. @throws Error when a line is malformed */
export function readServerCases(): readonly ServerCase[] {
  const lines = readFileSync(TABLE, "utf8").split("\n")
  return lines.filter((line) => line && !line.startsWith("#") && !line.startsWith("server\t")).map(caseOf)
}

export function casesAt(server: "Postfix" | "Exim" | "OpenSMTPD"): readonly ServerCase[] {
  return readServerCases().filter((one) => one.server === server)
}

function caseOf(line: string): ServerCase {
  const [server = "", service = "", from = "", address = "", truth = "", summary = "", reply] = line.split("\t")
  if (reply === undefined || !isTruth(truth)) throw new Error(`test/mta/cases.tsv: malformed line: ${line}`)
  return { server, service, from, address, truth, summary, reply: new RegExp(reply) }
}

/** Probes the recipient of a case, and checks reply and verdict. `npm run bench:verdicts` reads what it records. */
export async function checkCase(one: ServerCase, at: Listener | undefined, { task }: TestContext): Promise<void> {
  const { server, service, from, address, truth } = one
  if (!at) throw new Error(`test/mta/cases.tsv: ${server} has no service ${service}`)
  const engine = from === "-" ? {} : { sourceIps: [from] }
  const [finding] = await examine({ at, to: [address], engine })
  const { summary, replyText, verdict } = finding!
  task.meta.serverAnswer = { server, service, address, truth, verdict: verdictOf(verdict.status), summary }
  expect(replyText).toMatch(one.reply)
  expect(summary).toBe(one.summary)
}
