import type { Answer } from "../client.ts"
import { clientFor, readAdminSecret, UsageError } from "./config.ts"
import { paint, print, type Terminal } from "./terminal.ts"

type NodeHealth = Answer<"regionsHealth">["regions"][number]["probes"][number]

const COLORS = { ok: "green", warn: "yellow", fail: "red", unknown: "grey" } as const

/**
 * `mailverdict node doctor [NODE_ID]`: shows the state of the probe nodes and the findings of their self-checks. An API
 * key shows the account's own nodes, the admin secret shows all nodes.
 * @returns 0 when all selected nodes are healthy, otherwise 1
 */
export async function nodeDoctor(
  terminal: Terminal,
  nodeId: string | undefined,
  { json }: { json?: boolean },
): Promise<number> {
  const adminSecret = readAdminSecret(terminal)
  const { regions } = await clientFor(terminal, { adminSecret }).call("regionsHealth", {})
  const all = regions.flatMap(({ region, probes }) => probes.map((node) => ({ region, node })))
  const selected = nodeId === undefined ? all : all.filter(({ node }) => node.id === nodeId)
  if (selected.length === 0) {
    const owner = adminSecret === undefined ? "your account" : "the service"
    const problem = `${owner} has no probe node${nodeId === undefined ? "s" : ` ${nodeId}`}`
    throw new UsageError(adminSecret === undefined ? `${problem}; MAILVERDICT_ADMIN_SECRET shows all nodes` : problem)
  }
  if (json) print(terminal, JSON.stringify(selected.map(({ region, node }) => ({ region, ...node }))))
  else for (const { region, node } of selected) describe(terminal, region, node)
  return selected.every(({ node }) => node.state === "healthy") ? 0 : 1
}

function describe(terminal: Terminal, region: string, node: NodeHealth): void {
  const state = paint(terminal, node.state === "healthy" ? "green" : "red", node.state.replaceAll("_", " "))
  const rtt = node.rtt_ms === null ? "not measured yet" : `${node.rtt_ms} ms round trip`
  print(terminal, `${node.id}  ${region}  ${state}  ${rtt}  ${Math.round(node.load * 100)} % load`)
  if (node.reason) print(terminal, `  ${node.reason}`)
  if (node.blocked_by.length > 0) print(terminal, `  blocked by   ${node.blocked_by.join(", ")}`)
  for (const { check, subject, result, detail } of node.doctor?.findings ?? [])
    print(
      terminal,
      `  ${paint(terminal, COLORS[result], result.padEnd(7))}  ${check}${subject ? ` (${subject})` : ""}: ${detail}`,
    )
}
