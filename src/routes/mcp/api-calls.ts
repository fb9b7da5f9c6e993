import type { Context } from "hono"
import { AppError } from "../../errors.ts"
import { apiKeyOf, bearerOf } from "../../http/access.ts"
import type { AnswerInside, AppEnv } from "../../http/endpoint.ts"
import { onError } from "../../http/errors.ts"
import { type Detail, refusalText } from "./refusal-text.ts"

/** A tool's failure as a sentence that a model can act on. */
export class ToolRefusal extends Error {
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
      "unauthorized",
      "the Authorization header must be Bearer and an API key; a variable may be missing",
    )
  if (c.var.caller.kind !== "anonymous" && apiKey === undefined && bearerOf(c) === undefined)
    throw new AppError("forbidden", "send an API key; this takes neither a cookie nor the admin secret")
  return headers
}
