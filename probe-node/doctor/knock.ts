import ipaddr from "ipaddr.js"
import type { SmtpStage } from "../../schema/vocabulary.ts"
import { type SessionResult, SmtpSession } from "../smtp/connection.ts"
import type { Place } from "../smtp/route.ts"
import type { SocksProxy } from "../smtp/socks5.ts"

export interface KnockNeeds {
  readonly heloName: string
  readonly envelopeSender: string
  readonly proxy: SocksProxy | null
  readonly signal: AbortSignal
}

/** How a mail host received us. */
export interface Knock {
  readonly mxHost: string
  /** "welcome": it answered EHLO; "refused": it talks SMTP, but not with us; "closed": no SMTP server was reached. */
  readonly outcome: "welcome" | "refused" | "closed"
  /** Its words, or what went wrong. */
  readonly detail: string
  /** The proxy kept us from it. */
  readonly isProxyProblem: boolean
  /** The address our end of the connection has; null without a connection or behind a proxy. */
  readonly localIp: string | null
  /** The address the host says it sees us at; big providers name it in their answer to EHLO. */
  readonly seenIp: string | null
}

/** Longest wait for each reply, in ms: who does not answer by now will do so to a probe no sooner. */
const PATIENCE_MS: Readonly<Record<SmtpStage, number>> = {
  connect: 5_000,
  banner: 10_000,
  ehlo: 5_000,
  starttls: 1_000,
  mail: 1_000,
  rcpt: 1_000,
  rset: 1_000,
  quit: 1_000,
}

/** Connects to a mail host, says EHLO and QUIT. */
export function knock(needs: KnockNeeds, place: Place): Promise<Knock> {
  const { heloName, envelopeSender, proxy, signal } = needs
  const wallAt = performance.now() + PATIENCE_MS.connect + PATIENCE_MS.banner + PATIENCE_MS.ehlo
  return new Promise((resolve) => {
    const session = new SmtpSession(
      { place, proxy, patienceMs: PATIENCE_MS, wallAt, tlsProblem: null },
      {
        heloName,
        envelopeSender,
        pipelining: false,
        starttls: false,
        recipientsPerTransaction: 1,
        asks: [],
        slowMs: Number.POSITIVE_INFINITY,
      },
      {
        answered: () => undefined,
        over: (result) => resolve(toKnock(result, place, proxy !== null)),
        closed: () => signal.removeEventListener("abort", stop),
      },
    )
    const stop = () => session.abort("shutdown", "the node is stopping")
    signal.addEventListener("abort", stop)
  })
}

function toKnock({ end, report }: SessionResult, { mxHost }: Place, proxied: boolean): Knock {
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
