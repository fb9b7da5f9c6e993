import type { Command } from "commander"
import type { FleetNode, RegionHealth } from "../resources/account.ts"
import { type Cli, printFacts, printTable } from "./cli.ts"
import { readAdminSecret, UsageError } from "./config.ts"
import { type Cell, inWords, moment, paint, percent, print, type Style, type Terminal } from "./terminal.ts"

type NodeHealth = RegionHealth["probes"][number]

const RESULT_STYLES = { ok: "green", warn: "yellow", fail: "red", unknown: "grey" } as const

export function addNodeCommands(program: Command, cli: Cli): void {
  const nodes = program
    .command("nodes")
    .description("manage your probe nodes; MAILVERDICT_ADMIN_SECRET shows and changes all nodes")
  nodes
    .command("list")
    .description("show the nodes that serve you, with their state")
    .action(async () => printTable(cli, await nodesOf(cli).list(), { columns: COLUMNS, none: "No nodes." }))
  nodes
    .command("doctor [node-id]")
    .description("show the state and the problems of your nodes; exit code 0 when all are healthy, otherwise 1")
    .action((nodeId: string | undefined) => cli.end(nodeDoctor(cli, nodeId)))
  nodes
    .command("drain <node-id>")
    .description("send no new probes to a node; running ones end")
    .action(async (nodeId: string) => {
      const drained = await nodesOf(cli).drain(nodeId)
      printFacts(cli, drained, [
        ["node", nodeId],
        ["state", stateOf("draining")],
        ["", "It gets no new probes, and running ones end."],
        ["", drained.note],
        ["to use it again", `mailverdict nodes resume ${nodeId}`],
      ])
    })
  nodes
    .command("resume <node-id>")
    .description("end the drain of a node")
    .action(async (nodeId: string) => {
      const resumed = await nodesOf(cli).resume(nodeId)
      printFacts(cli, resumed, [
        ["node", nodeId],
        ["state", stateOf(resumed.state)],
      ])
    })
  nodes
    .command("remove <node-id>")
    .description("remove a node and its keys")
    .action(async (nodeId: string) => {
      printFacts(cli, await nodesOf(cli).remove(nodeId), [
        ["node", nodeId],
        ["state", ["removed", "grey"]],
      ])
    })
}

const nodesOf = (cli: Cli) => cli.client({ asOperator: true }).nodes

const stateOf = (state: FleetNode["state"]): [string, Style] => [
  inWords(state),
  state === "healthy" ? "green" : state === "draining" ? "yellow" : "red",
]

const COLUMNS: Readonly<Record<string, (node: FleetNode) => Cell>> = {
  "NODE ID": ({ id }) => id,
  REGION: ({ region }) => region,
  STATE: ({ state }) => stateOf(state),
  OWNER: ({ owner }) => owner,
  VERSION: ({ version, version_differs: differs }) => (differs ? [`${version} (differs)`, "yellow"] : (version ?? "")),
  CHECKED: ({ checked_at }) => (checked_at ? moment(checked_at) : ["not yet", "grey"]),
  REASON: ({ reason }) => reason ?? "",
}

/** @returns 0 when all selected nodes are healthy, otherwise 1 */
async function nodeDoctor(cli: Cli, nodeId: string | undefined): Promise<number> {
  const { terminal } = cli
  const regions = await nodesOf(cli).health()
  const all = regions.flatMap(({ region, probes }) => probes.map((node) => ({ region, ...node })))
  const selected = nodeId === undefined ? all : all.filter(({ id }) => id === nodeId)
  if (selected.length === 0) {
    const isOperator = readAdminSecret(terminal) !== undefined
    const owner = isOperator ? "the service" : "your account"
    const problem = `${owner} has no probe node${nodeId === undefined ? "s" : ` ${nodeId}`}`
    throw new UsageError(isOperator ? problem : `${problem}; MAILVERDICT_ADMIN_SECRET shows all nodes`)
  }
  for (const node of selected)
    if (cli.isJson) print(terminal, JSON.stringify(node))
    else describe(terminal, node)
  return selected.every(({ state }) => state === "healthy") ? 0 : 1
}

function describe(terminal: Terminal, node: NodeHealth & { readonly region: string }): void {
  const [state, style] = stateOf(node.state)
  const rtt = node.rtt_ms === null ? "not measured yet" : `${node.rtt_ms} ms round trip`
  const name = paint(terminal, "bold", node.id)
  print(terminal, `${name}  ${node.region}  ${paint(terminal, style, state)}  ${rtt}  ${percent(node.load)} load`)
  if (node.reason) print(terminal, `  ${node.reason}`)
  if (node.version_differs) print(terminal, `  runs version ${node.version}, and the service another one: update it`)
  if (node.state === "draining" && node.active_sessions !== null)
    print(terminal, `  ${node.active_sessions} SMTP sessions at its last report, ${node.checked_at}`)
  if (node.blocked_by.length > 0) print(terminal, `  blocked by   ${node.blocked_by.join(", ")}`)
  for (const { check, subject, result, detail } of node.doctor?.findings ?? []) {
    const painted = paint(terminal, RESULT_STYLES[result], result.padEnd(7))
    print(terminal, `  ${painted}  ${check}${subject ? ` (${subject})` : ""}: ${detail}`)
  }
}
