/** A page of the repository that the service serves, too. */
interface Manual {
  /** The path of its source in the project. */
  readonly source: string
  /** The name of its page below /docs. */
  readonly name: string
  readonly title: string
  /** One sentence for the index. */
  readonly description: string
}

/** The section of the manuals in the index. */
export const MANUALS_GROUP = "Clients, tools and manuals"

export const MANUALS: readonly Manual[] = [
  {
    source: "src/client/README.md",
    name: "client-javascript",
    title: "JavaScript client",
    description: "Calls the service from Node, browsers, Workers, Deno and Bun.",
  },
  {
    source: "src/client-python/README.md",
    name: "client-python",
    title: "Python client",
    description: "Calls the service from Python.",
  },
  {
    source: "docs/cli.md",
    name: "cli",
    title: "Command line",
    description: "Verifies addresses and lists in a terminal or a script.",
  },
  {
    source: "docs/mcp.md",
    name: "mcp",
    title: "MCP server",
    description: "Gives agents tools that verify, explain, find and suppress addresses.",
  },
  {
    source: "docs/skill/SKILL.md",
    name: "skill/SKILL",
    title: "Skill for agents",
    description: "Tells an agent how to verify addresses and read verdicts, as a file to install.",
  },
  {
    source: "docs/api.md",
    name: "recipes",
    title: "Recipes",
    description: "Shows how calls work together, with commands to copy.",
  },
  {
    source: "docs/verdicts.md",
    name: "verdicts",
    title: "Verdicts",
    description: "Explains how evidence becomes a status, a score and a send decision.",
  },
  {
    source: "docs/connect.md",
    name: "connect",
    title: "Zapier, Make, n8n and Google Sheets",
    description: "Connects tools without programming: a script, a node, and requests to copy.",
  },
  {
    source: "docs/form-guard.md",
    name: "form-guard",
    title: "Guard of sign-up forms",
    description: "Helps visitors of a form to enter an address that receives mail.",
  },
  {
    source: "docs/webhooks.md",
    name: "webhook-events",
    title: "Webhook manual",
    description: "Lists the fields of each event, and what sending providers report.",
  },
]
