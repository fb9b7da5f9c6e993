import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import type { Resolver } from "./resolver.ts"
import { type Greylist, type Inbox, type InboxMessage, type Journal, StoppableServer } from "./server-state.ts"

interface Parts {
  readonly resolver: Resolver
  readonly journal: Journal
  readonly inbox: Inbox
  readonly greylist: Greylist
}

interface State extends Parts {
  /** Set by `npm start`, when the service runs. */
  formDemo: FormDemo | null
}

const HOST = "127.0.0.1"
const DNS_MESSAGE = "application/dns-message"

/** Starts DNS over HTTPS (RFC 8484, without TLS on loopback) the sandbox's log and inbox, and its sign-up form. */
export async function startHttpServer(port: number, parts: Parts) {
  const state: State = { ...parts, formDemo: null }
  const server = createServer((request, response) => {
    respond(request, response, state).catch(() => response.destroy())
  })
  const listening = new StoppableServer(server)
  const bound = await listening.listen(port, HOST)
  return { dohUrl: `http://${HOST}:${bound}/dns-query`, stop: () => listening.stop() }
}

async function respond(request: IncomingMessage, response: ServerResponse, parts: State): Promise<void> {
  const url = new URL(request.url ?? "/", `http://${HOST}`)
  const method = request.method === "HEAD" ? "GET" : request.method
  switch (`${method} ${url.pathname}`) {
    case "GET /dns-query":
      return answerDns(Buffer.from(url.searchParams.get("dns") ?? "", "base64url"), response, parts)
    case "POST /dns-query":
      if (request.headers["content-type"] !== DNS_MESSAGE) return void response.writeHead(415).end()
      return answerDns(await buffer(request), response, parts)
    case "GET /sandbox/log":
      return json(response, parts.journal.read())
    case "DELETE /sandbox/log":
      parts.journal.clear()
      return void response.writeHead(204).end()
    case "POST /sandbox/hold":
      parts.greylist.hold()
      return void response.writeHead(204).end()
    case "POST /sandbox/release":
      parts.greylist.release()
      return void response.writeHead(204).end()
    case "POST /sandbox/mail":
      // Resend rejects requests without a user agent.
      if (!request.headers["user-agent"]) return void response.writeHead(403).end("error code: 1010")
      return receiveMail(JSON.parse((await buffer(request)).toString()) as MailRequest, response, parts)
    case "GET /sandbox/inbox":
      return json(response, parts.inbox.read(url.searchParams.get("to")))
    case "DELETE /sandbox/inbox":
      parts.inbox.clear()
      return void response.writeHead(204).end()
    case "POST /form-demo":
      parts.formDemo = readFormDemo((await buffer(request)).toString())
      return void response.writeHead(parts.formDemo ? 204 : 422).end()
    default:
      if (method === "GET" && answerFormDemo(url.pathname, response, parts.formDemo)) return
      return void response.writeHead(404).end()
  }
}

/** A message in the form of Resend's API (`POST /emails`). The inbox shows it at once. */
type MailRequest = Pick<InboxMessage, "from" | "to"> & Readonly<Record<"subject" | "text", string>>

function receiveMail({ from, to, subject, text }: MailRequest, response: ServerResponse, { inbox }: Parts): void {
  const raw = `From: ${from}\r\nTo: ${to.join(", ")}\r\nSubject: ${subject}\r\n\r\n${text}`
  inbox.add({ receivedAt: new Date().toISOString(), from, to, raw })
  console.log(`mail to ${to.join(", ")}: ${subject} ${/https?:\S+/.exec(text)?.[0] ?? ""}`)
  json(response, { id: crypto.randomUUID() })
}

async function answerDns(message: Buffer, response: ServerResponse, { resolver }: Parts): Promise<void> {
  if (message.length < 12) return void response.writeHead(400).end("not a DNS message")
  const answer = await resolver.answer(message, "doh")
  // Simulates a resolver that does not answer: the request stays open until the client gives up.
  if (!answer) return
  response
    .writeHead(200, {
      "content-type": DNS_MESSAGE,
      "content-length": answer.length,
      "cache-control": "no-store",
    })
    .end(answer)
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** What the page is filled in with. */
interface FormDemo {
  /** Origin of the service. */
  readonly api: string
  /** A publishable key for pages of this server. */
  readonly key: string
}

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/form-demo": ["page.html", "text/html; charset=utf-8"],
  "/form-demo/page.css": ["page.css", "text/css; charset=utf-8"],
  "/form-demo/page.js": ["page.js", "text/javascript; charset=utf-8"],
}

/**
 * Answers with a file of the sign-up form that shows `/form.js` on another origin than the service. Its content security
 * policy has only what docs/form-guard.md asks for. @returns false for another path, and before there is a key
 */
function answerFormDemo(path: string, response: ServerResponse, demo: FormDemo | null): boolean {
  const [file, type] = FILES[path] ?? []
  if (!file || !type || !demo) return false
  const { api, key } = demo
  const text = readFileSync(new URL(`form-demo/${file}`, import.meta.url), "utf8")
  response
    .writeHead(200, {
      "content-type": type,
      "content-security-policy": `default-src 'none'; script-src 'self' ${api}; connect-src ${api}; style-src 'self'; img-src data:`,
    })
    .end(text.replaceAll("{api}", api).replaceAll("{key}", key))
  return true
}

/** Reads what `npm start` hands over. Null when it is not an origin with a publishable key. */
function readFormDemo(text: string): FormDemo | null {
  const { api, key } = JSON.parse(text) as Partial<FormDemo>
  const isValid = api !== undefined && URL.parse(api)?.origin === api && /^mv_pk_\w+$/.test(key ?? "")
  return isValid ? { api, key: key! } : null
}
