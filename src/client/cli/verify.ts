import type { Answer } from "../client.ts"
import { clientFor } from "./config.ts"
import { paint, print, type Terminal } from "./terminal.ts"

const COLORS = { deliverable: "green", undeliverable: "red", risky: "yellow", unknown: "grey" } as const

/** `mailverdict verify EMAIL`. @returns 0 when the address can be sent to, otherwise 1 */
export async function verify(terminal: Terminal, email: string, options: { json?: boolean }): Promise<number> {
  const answer = await clientFor(terminal).call("validate", { email })
  if (options.json) print(terminal, JSON.stringify(answer))
  else describe(terminal, answer)
  return answer.deliverability_score.can_send ? 0 : 1
}

function describe(terminal: Terminal, answer: Answer<"validate">): void {
  const { score, recommendation, primary_risk } = answer.deliverability_score
  const verdict = paint(terminal, COLORS[answer.deliverability], answer.status)
  print(terminal, `${answer.email}  ${verdict}  ${score}/100  ${recommendation.replaceAll("_", " ")}`)
  if (primary_risk) print(terminal, `  risk          ${primary_risk.replaceAll("_", " ")}`)
  const reason = primary_risk === "no_probe_node" ? "no probe node was available" : answer.sub_status
  if (reason) print(terminal, `  reason        ${reason.replaceAll("_", " ")}`)
  if (answer.mx_records.length > 0) print(terminal, `  mail hosts    ${answer.mx_records.join(", ")}`)
  if (answer.smtp_response_code) print(terminal, `  SMTP          ${answer.smtp_response_code}`)
  if (answer.did_you_mean) print(terminal, `  did you mean  ${answer.did_you_mean}`)
}
