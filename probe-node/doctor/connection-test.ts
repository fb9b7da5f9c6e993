import ipaddr from "ipaddr.js"
import type { SmtpStage } from "../../schema/vocabulary.ts"
import { type SessionResult, SmtpSession } from "../smtp/connection.ts"
import type { Endpoint } from "../smtp/route.ts"
import type { SocksProxy } from "../smtp/socks5.ts"

export interface ConnectionTestDeps {
  readonly heloName: string
  readonly envelopeSender: string
  readonly proxy: SocksProxy | null
  readonly signal: AbortSignal
}

/** Result of a connection test to a mail host. */
export interface ConnectionTest {
  readonly mxHost: string
  /** "welcome": it accepted EHLO. "refused": it speaks SMTP but refused us. "closed": no SMTP server was reached. */
  readonly outcome: "welcome" | "refused" | "closed"
  /** The host's reply, or the failure. */
  readonly detail: string
  /** The proxy caused the failure. */
  readonly isProxyProblem: boolean
  /** The local address of the connection. Null without a connection or behind a proxy. */
  readonly localIp: string | null
  /** Our address as the host sees it. Large providers name it in their reply to EHLO. */
  readonly seenIp: string | null
}

/** Timeout for each reply, in ms. A host slower than this is of no use to a probe either. */
const REPLY_TIMEOUT_MS: Readonly<Record<SmtpStage, number>> = {
  connect: 5_000,
  banner: 10_000,
  ehlo: 5_000,
  starttls: 1_000,
  mail: 1_000,
  rcpt: 1_000,
  rset: 1_000,
  quit: 1_000,
}

/** Connects to a mail host and sends EHLO and QUIT. */
export function testConnection(deps: ConnectionTestDeps, endpoint: Endpoint): Promise<ConnectionTest> {
  const { heloName, envelopeSender, proxy, signal } = deps
  const deadlineAt = performance.now() + REPLY_TIMEOUT_MS.connect + REPLY_TIMEOUT_MS.banner + REPLY_TIMEOUT_MS.ehlo
  return new Promise((resolve) => {
    const session = new SmtpSession(
      { endpoint, proxy, replyTimeoutMs: REPLY_TIMEOUT_MS, deadlineAt, tlsProblem: null },
      {
        heloName,
        envelopeSender,
        pipelining: false,
        starttls: false,
        recipientsPerTransaction: 1,
        rcpts: [],
        slowMs: Number.POSITIVE_INFINITY,
      },
      {
        answered: () => undefined,
        over: (result) => resolve(toConnectionTest(result, endpoint, proxy !== null)),
        closed: () => signal.removeEventListener("abort", stop),
      },
    )
    const stop = () => session.abort("shutdown", "the node is stopping")
    signal.addEventListener("abort", stop)
  })
}

function toConnectionTest({ end, report }: SessionResult, { mxHost }: Endpoint, proxied: boolean): ConnectionTest {
  const localIp = proxied ? null : (report?.sourceIp ?? null)
  const seenIp = seenIn(report?.ehlo?.text ?? "")
  const common = { mxHost, localIp: localIp && ipaddr.isValid(localIp) ? localIp : null, seenIp }
  if (end.kind === "refused") {
    const detail = `${end.reply.code} ${end.reply.text.replace(/\s+/g, " ")}`.slice(0, 160)
    return { ...common, outcome: "refused", detail, isProxyProblem: false }
  }
  if (end.kind === "failed") {
    const { stage, failure, detail } = end
    return { ...common, outcome: "closed", detail: `${stage}: ${detail}`, isProxyProblem: failure === "proxy" }
  }
  return {
    ...common,
    outcome: "welcome",
    detail: report?.greeting?.text.split("\n", 1)[0] ?? "",
    isProxyProblem: false,
  }
}

/** "mx.google.com at your service, [203.0.113.5]" and "… Hello probe.example.com [IPv6:2001:db8::5]". */
function seenIn(ehlo: string): string | null {
  const ip = /\[(?:IPv6:)?([0-9a-f.:]+)\]/i.exec(ehlo.split("\n", 1)[0]!)?.[1]
  return ip !== undefined && ipaddr.isValid(ip) ? ip : null
}
