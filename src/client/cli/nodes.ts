import type { Answer } from "../client.ts"
import { clientFor, readAdminSecret, UsageError } from "./config.ts"
import { paint, print, report, type Terminal } from "./terminal.ts"

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

/**
 * `mailverdict node drain NODE_ID`: the node gets no new probes, and running ones end. An API key drains the account's
 * own nodes, the admin secret any node.
 */
export async function drainNode(terminal: Terminal, nodeId: string): Promise<number> {
  const client = clientFor(terminal, { adminSecret: readAdminSecret(terminal) })
  const { note } = await client.call("drainNode", { node_id: nodeId })
  report(terminal, `${nodeId} is draining: it gets no new probes, and running ones end. ${note}`)
  report(terminal, `To use it again: mailverdict node resume ${nodeId}`)
  return 0
}

/** `mailverdict node resume NODE_ID`: ends the drain. */
export async function resumeNode(terminal: Terminal, nodeId: string): Promise<number> {
  const client = clientFor(terminal, { adminSecret: readAdminSecret(terminal) })
  const { state } = await client.call("resumeNode", { node_id: nodeId })
  report(terminal, `${nodeId} is resumed. Its state is ${state}.`)
  return 0
}

function describe(terminal: Terminal, region: string, node: NodeHealth): void {
  const color = node.state === "healthy" ? "green" : node.state === "draining" ? "yellow" : "red"
  const state = paint(terminal, color, node.state.replaceAll("_", " "))
  const rtt = node.rtt_ms === null ? "not measured yet" : `${node.rtt_ms} ms round trip`
  print(terminal, `${node.id}  ${region}  ${state}  ${rtt}  ${Math.round(node.load * 100)} % load`)
  if (node.reason) print(terminal, `  ${node.reason}`)
  if (node.state === "draining" && node.active_sessions !== null)
    print(terminal, `  ${node.active_sessions} SMTP sessions at its last report, ${node.checked_at}`)
  if (node.blocked_by.length > 0) print(terminal, `  blocked by   ${node.blocked_by.join(", ")}`)
  for (const { check, subject, result, detail } of node.doctor?.findings ?? [])
    print(
      terminal,
      `  ${paint(terminal, COLORS[result], result.padEnd(7))}  ${check}${subject ? ` (${subject})` : ""}: ${detail}`,
    )
}
