import { type Given, type StubRequest, type StubServer, startStub } from "./stub-server.ts"

export interface SlackServer extends StubServer {
  /** Posted messages as "channel: text", from webhooks as "hook: text". */
  readonly posts: readonly string[]
}

export const SLACK_TOKEN = "xoxb-17653672481-test"
export const SLACK_HOOK_PATH = "/services/T0000/B0000/XXXX"

/** Slack's Web API at /api, and one incoming webhook (api.slack.com). GET /posts returns the posted messages. */
export async function startSlack({
  faults = [],
  fails = [],
}: {
  readonly faults?: readonly Given[]
  /** Errors of the first calls. Slack reports them with status 200. */
  readonly fails?: readonly string[]
} = {}): Promise<SlackServer> {
  const posts: string[] = []
  let calls = 0
  const server = await startStub((asked) => {
    if (asked.method === "GET" && asked.path === "/posts") return { status: 200, json: posts }
    const [fault, error] = [faults[calls], fails[calls++]]
    if (fault && (fault.status !== 200 || fault.text !== undefined)) return fault
    if (error) return { status: 200, json: { ok: false, error } }
    const said = asked.body === "" ? {} : (JSON.parse(asked.body) as Said)
    return asked.path.startsWith("/services/") ? hook(asked.path, said, posts) : method(asked, said, posts)
  })
  return Object.assign(server, { posts })
}

interface Said {
  readonly text?: string
  readonly channel?: string
}

/** A webhook answers with one word of plain text. */
function hook(path: string, { text = "" }: Said, posts: string[]): Given {
  if (path !== SLACK_HOOK_PATH) return { status: 404, text: "no_service" }
  if (text === "") return { status: 400, text: "no_text" }
  posts.push(`hook: ${text}`)
  return { status: 200, text: "ok" }
}

function method({ path, headers }: StubRequest, { text = "", channel = "" }: Said, posts: string[]): Given {
  const refusal = (error: string) => ({ status: 200, json: { ok: false, error } })
  if (headers.authorization !== `Bearer ${SLACK_TOKEN}`) return refusal("invalid_auth")
  if (path === "/api/auth.test") return { status: 200, json: { ok: true, team: "Example Team", user: "verdict" } }
  if (path !== "/api/chat.postMessage") return refusal("unknown_method")
  if (channel !== "#lists") return refusal("channel_not_found")
  posts.push(`${channel}: ${text}`)
  return { status: 200, json: { ok: true, channel: "C1", ts: "1503435956.000247" } }
}
