import { createRoute } from "@hono/zod-openapi"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { Context } from "hono"
import { z } from "zod"
import { AppError } from "../../errors.ts"
import { type AnswerInside, type AppEnv, type Endpoint, endpoint } from "../../http/endpoint.ts"
import { json } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"
import { apiCallsOf } from "./api-calls.ts"
import { createMcpServer } from "./server.ts"

/** One message of JSON-RPC 2.0. MCP has no batches since 2025-06-18. */
const Message = z.looseObject({ jsonrpc: z.literal("2.0") })

/**
 * The Model Context Protocol over Streamable HTTP without sessions: one POST, one JSON answer. Each request has a server
 * of its own. It is no part of the published document, because its clients follow MCP (revision 2025-11-25).
 */
export function mcpEndpoint(answerInside: AnswerInside): Endpoint {
  return endpoint(
    "key-optional",
    createRoute({
      method: "post",
      path: "/mcp",
      operationId: "mcp",
      tags: ["mcp"],
      summary: "Tools for agents (MCP)",
      request: { body: json(Message) },
      responses: { 200: ok(Message), 202: { description: "A notification was accepted" } },
    }),
    async (c) => {
      refuseOtherSites(c)
      const server = createMcpServer(apiCallsOf(c, answerInside))
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      await server.connect(transport)
      try {
        return (await transport.handleRequest(c.req.raw, { parsedBody: c.req.valid("json") })) as never
      } finally {
        await server.close()
      }
    },
  )
}

/**
 * Pages may call only from this service's own origin, or with a key that names theirs. The URL of the request proves
 * nothing after DNS rebinding, so only the configured origin counts. @throws AppError forbidden
 */
function refuseOtherSites({ req, var: { caller, ctx } }: Context<AppEnv>): void {
  const origin = req.header("origin")
  if (origin === undefined || origin === new URL(ctx.config.baseUrl).origin) return
  // The guard has compared the origin with those of the key.
  if (caller.kind === "member" && caller.restrictions?.origins) return
  throw new AppError(
    "forbidden",
    `pages of ${origin} may not call this; use a key that is restricted to this origin by allowed_origins`,
  )
}
