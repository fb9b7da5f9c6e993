import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { z } from "zod"
import type { ApiCalls } from "./api-calls.ts"

/** What a tool returns: data in the form of its `output`, and the same in words for models that read only text. */
export interface ToolAnswer<Answer> {
  readonly answer: Answer
  readonly text: string
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title: string
  /** For the model that chooses a tool: what it does, when to use it, what it costs. */
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly hints: Hints
  /** @throws ToolRefusal with a sentence for the model */
  run(api: ApiCalls, input: z.output<Input>): Promise<ToolAnswer<z.input<Output>>>
}

/** The annotations of a tool (MCP 2025-11-25, ToolAnnotations). Clients decide by them when to ask the user. */
interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Reads only. Mail servers or DNS on the internet may be asked. */
export const READS_INTERNET: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}
/** Reads only what the account has stored. */
export const READS_ACCOUNT: Hints = { ...READS_INTERNET, openWorldHint: false }

/** A time in an answer. Without the pattern of ISO 8601, whose 250 characters every model would read in each schema. */
export const time = z.string().describe("ISO 8601, UTC")

/** A tool as the server registers it. Its types are checked where it is defined. */
export interface Tool {
  addTo(server: McpServer, api: ApiCalls): void
}

/** Checks at compile time that the tool returns what its `output` declares. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>({
  name,
  title,
  description,
  input,
  output,
  hints,
  run,
}: Definition<Input, Output>): Tool {
  const config = { title, description, inputSchema: input as z.ZodObject, outputSchema: output, annotations: hints }
  return {
    addTo(server, api) {
      server.registerTool(name, config, async (given) => {
        const { answer, text } = await api.logBugs(() => run(api, given as z.output<Input>))
        return { structuredContent: answer, content: [{ type: "text", text }] }
      })
    },
  }
}
