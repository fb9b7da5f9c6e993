import type { Answer } from "../client.ts"
import { clientFor, UsageError } from "./config.ts"
import { paint, print, type Terminal } from "./terminal.ts"

type NodeHealth = Answer<"regionsHealth">["regions"][number]["probes"][number]

const COLOUR = { ok: "green", warn: "yellow", fail: "red", unknown: "grey" } as const

/**
 * `mailverdict node doctor [NODE_ID]`: the probe nodes as the service sees them, with what their own examination found.
 * @returns 0 when all of them are asked, 1 when one is not
 */
export async function nodeDoctor(
  terminal: Terminal,
  nodeId: string | undefined,
  { json }: { json?: boolean },
): Promise<number> {
  const { regions } = await clientFor(terminal).call("regionsHealth", {})
  const all = regions.flatMap(({ region, probes }) => probes.map((node) => ({ region, node })))
  const asked = nodeId === undefined ? all : all.filter(({ node }) => node.id === nodeId)
  if (asked.length === 0) throw new UsageError(nodeId === undefined ? "there are no nodes" : `no node ${nodeId}`)
  if (json) print(terminal, JSON.stringify(asked.map(({ region, node }) => ({ region, ...node }))))
  else for (const { region, node } of asked) describe(terminal, region, node)
  return asked.every(({ node }) => node.state === "healthy") ? 0 : 1
}

function describe(terminal: Terminal, region: string, node: NodeHealth): void {
  const state = paint(terminal, node.state === "healthy" ? "green" : "red", node.state.replaceAll("_", " "))
  const rtt = node.rtt_ms === null ? "not measured yet" : `${node.rtt_ms} ms away`
  print(terminal, `${node.id}  ${region}  ${state}  ${rtt}  ${Math.round(node.load * 100)} % busy`)
  if (node.reason) print(terminal, `  ${node.reason}`)
  if (node.blocked_by.length > 0) print(terminal, `  held off by   ${node.blocked_by.join(", ")}`)
  for (const { check, subject, result, detail } of node.doctor?.findings ?? [])
    print(
      terminal,
      `  ${paint(terminal, COLOUR[result], result.padEnd(7))}  ${check}${subject ? ` (${subject})` : ""}: ${detail}`,
    )
}
