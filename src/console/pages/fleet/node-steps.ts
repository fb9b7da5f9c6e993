/** What the operator says about a new node. */
export interface NodePlan {
  readonly id: string
  readonly region: string
  readonly host: string
  /** The mailbox of MAIL FROM. */
  readonly sender: string
}

interface Step {
  readonly title: string
  readonly command: string
}

/**
 * The commands that make a machine a probe node (probe-node/README.md).
 * @param command the service's command, followed by options that name the node; it asks for the token
 */
export function stepsFor(
  { id, region, host, sender }: NodePlan,
  { command, token }: { readonly command: string; readonly token: string },
): readonly Step[] {
  const begin = command.slice(0, command.indexOf(" --id ")).replace(/^node probe-node\.mjs/, "node dist/probe-node.mjs")
  const name = host.trim()
  const options = [
    ["--id", id.trim()],
    ["--region", region.trim()],
    ["--url", `https://${name}`],
    ["--helo", name],
    ["--mail-from", sender.trim()],
  ]
  const named = options.map(([option, value]) => `${option} ${quoted(value!)}`).join(" ")
  return [
    { title: "In a clone of the repository, build the node:", command: "npm ci && npm run build:node" },
    { title: "Enroll it:", command: `${begin} ${named}` },
    { title: "When it asks for the token, paste this and press Enter:", command: token },
    {
      title: "Check the machine, and start it behind HTTPS:",
      command: "node dist/probe-node.mjs doctor && node dist/probe-node.mjs",
    },
  ]
}

/** Quotes a text for a shell, unless it needs none. */
const quoted = (text: string): string => (/^[\w.@:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
