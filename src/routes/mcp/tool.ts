import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import type { Context } from "hono"
import { z } from "zod"
import { AppError } from "../../errors.ts"
import { apiKeyOf, bearerOf } from "../../http/access.ts"
import type { AnswerInside, AppEnv } from "../../http/endpoint.ts"
import { onError } from "../../http/errors.ts"

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

/** Reads only. It may query mail servers or DNS on the internet. */
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

/** A tool's failure as a sentence that a model can act on. */
class ToolRefusal extends Error {
  override readonly name = "ToolRefusal"
}

/** Calls of the API for the caller of a tool. */
export interface ApiCalls {
  /**
   * Calls an endpoint with the caller's credentials. Access, limits, costs and the log are those of that endpoint.
   * @returns the body of the answer, in the endpoint's published shape. @throws ToolRefusal for every other status
   */
  call<Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer>
  /** Runs a tool. The log gets a bug in it, and the model only a request id. @throws ToolRefusal */
  logBugs<T>(work: () => Promise<T>): Promise<T>
}

/** One step of a path, from a text that a model wrote. @throws ToolRefusal for one that a URL would drop (RFC 3986 5.2.4) */
export function pathStep(text: string): string {
  if (text === "." || text === "..") throw new ToolRefusal(`"${text}" is neither a domain nor an id`)
  return encodeURIComponent(text)
}

/**
 * The API for the caller of an MCP request.
 * @throws AppError forbidden for a cookie or the admin secret alone, unauthorized for another scheme than Bearer
 */
export function apiCallsOf(c: Context<AppEnv>, answerInside: AnswerInside): ApiCalls {
  const headers = headersOf(c)
  const hasCredentials = c.var.caller.kind !== "anonymous"

  async function refuse(response: Response): Promise<never> {
    const { detail } = (await response.json()) as { detail: Detail }
    throw new ToolRefusal(refusalText({ status: response.status, detail, hasCredentials }))
  }

  return {
    async call<Answer>(method: string, path: string, body?: object) {
      const init = body ? { body: JSON.stringify(body) } : {}
      const request = new Request(new URL(path, c.req.url), { method, headers, ...init })
      const response = await answerInside(request, c)
      return response.ok ? ((await response.json()) as Answer) : refuse(response)
    },

    async logBugs(work) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof ToolRefusal) throw error
        return refuse(await onError(error as Error, c))
      }
    },
  }
}

/** Headers of the request that decide about access, and those that join its log lines. Neither cookies nor secrets of the operator. */
function headersOf(c: Context<AppEnv>): Headers {
  const { clientIpHeader } = c.var.ctx.config
  const headers = new Headers({ "content-type": "application/json", "x-request-id": c.var.requestId })
  for (const name of ["authorization", "origin", "traceparent", clientIpHeader]) {
    const value = name && c.req.header(name)
    if (name && value !== undefined && value !== null) headers.set(name, value)
  }
  const apiKey = apiKeyOf(c)
  if (apiKey !== undefined) headers.set("x-api-key", apiKey)
  if (c.req.header("authorization") && bearerOf(c) === undefined)
    throw new AppError(
      "key_missing",
      "the Authorization header must be Bearer and an API key; a variable may be missing",
    )
  if (c.var.caller.kind !== "anonymous" && apiKey === undefined && bearerOf(c) === undefined)
    throw new AppError("forbidden", "send an API key; this takes neither a cookie nor the admin secret")
  return headers
}

/** `detail` of an error of the API. */
type Detail = string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]

interface Refusal {
  readonly status: number
  readonly detail: Detail
  /** Whether the caller sent a key or a session. */
  readonly hasCredentials: boolean
}

const CORRECT = "Correct the arguments and call the tool again."
const LATER = "Call the tool again later."

/** What a model can do about a status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: CORRECT,
  401: "Ask the user to sign in again, or to replace the API key in the settings of this MCP server.",
  402: "Do not repeat this call; tell the user.",
  403: "Do not call again; the user can change what the key may do on the console's page of API keys.",
  404: CORRECT,
  409: LATER,
  413: "Send fewer addresses in one call.",
  422: CORRECT,
  429: "Do not call again before then.",
  503: LATER,
}

const NO_KEY =
  "This tool needs an account. Ask the user to sign in at the URL /mcp, or to add the header Authorization: Bearer mv_live_… in the settings of this MCP server; a key comes from the console's page of API keys."

/** An error of the API for a model: the reason, then what to do. */
export function refusalText({ status, detail, hasCredentials }: Refusal): string {
  if (status === 401 && !hasCredentials) return NO_KEY
  const reason = typeof detail === "string" ? detail : detail.map(({ loc, msg }) => `${placeOf(loc)}${msg}`).join("; ")
  return `Error ${status}: ${reason.replace(/\.$/, "")}. ${ADVICE[status] ?? "Tell the user."}`
}

/** "emails.3: ". The first step says only where the API read it: the query or the body. */
function placeOf([, ...steps]: readonly (string | number)[]): string {
  return steps.length > 0 ? `${steps.join(".")}: ` : ""
}
