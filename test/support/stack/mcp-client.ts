import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { inject, onTestFinished } from "vitest"
import { type TestKey, withKey } from "./account.ts"
import { type Answer, type CallInit, callUnchecked, postJson } from "./api.ts"

/** An answer of a tool: its data, and the text for the model. */
export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  readonly data: Record<string, unknown>
}

export type CallTool = (name: string, input: Record<string, unknown>) => Promise<ToolResult>

/** Connects the client of the official SDK to /mcp. @param headers credentials, and others */
export async function connectClient(headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" })
  const path = headers.authorization === undefined ? "/mcp?sign_in=no" : "/mcp"
  const transport = new StreamableHTTPClientTransport(new URL(path, inject("stackUrl")), { requestInit: { headers } })
  // Its declared `sessionId` may be undefined, which the option exactOptionalPropertyTypes does not allow.
  await client.connect(transport as Parameters<Client["connect"]>[0])
  onTestFinished(() => client.close())
  return client
}

/** Connects and lists the tools. From then on the client validates each answer against the tool's schema. */
export async function toolsOf(key: TestKey | null, headers: Record<string, string> = {}): Promise<CallTool> {
  const client = await connectClient({ ...headers, ...(key ? { authorization: `Bearer ${key.secret}` } : {}) })
  await client.listTools()
  return async function callTool(name, input) {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: input })
    const [first] = content as { text: string }[]
    return { isError: isError === true, text: first!.text, data: (structuredContent ?? {}) as Record<string, unknown> }
  }
}

/** Posts one message of JSON-RPC without the SDK's client. */
export function postMessage(message: unknown, init: CallInit = {}, key?: TestKey): Promise<Answer> {
  const post = postJson(message)
  const headers = { ...post.headers, accept: "application/json, text/event-stream", ...init.headers }
  const sent = { ...post, ...init, headers }
  return callUnchecked("/mcp", key ? withKey(key, sent) : sent)
}
