import { SMTP_NETWORK } from "../../src/adapters/sandbox/mail-hosts.ts"
import { DOMAINS_BY_HOST } from "../../src/adapters/sandbox/zone.ts"
import { startHttpServer } from "./http-server.ts"
import { Resolver, startDnsServer, Upstream } from "./resolver.ts"
import { Greylist, Inbox, Journal, type SandboxLog } from "./server-state.ts"
import { startSmtpHosts } from "./smtp-hosts.ts"

export interface SandboxOptions {
  /** Ports; 0 picks free ones. */
  readonly smtpPort: number
  readonly dnsPort: number
  readonly dohPort: number
  readonly greylistSeconds: number
  /** Delay of every mail host before each reply, in ms. */
  readonly latencyMs: number
  /** DNS-over-HTTPS URLs for names outside .test. Without one, those names give SERVFAIL. */
  readonly upstream: readonly string[]
}

export interface Sandbox {
  readonly smtpPort: number
  /** The network of all mail hosts; each has its own address. */
  readonly smtpNetwork: string
  readonly dnsAddress: string
  readonly dohUrl: string
  log(): SandboxLog
  stop(): Promise<void>
}

/** Starts DNS and mail servers for the reserved TLD .test (RFC 6761), on loopback addresses only. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const journal = new Journal()
  const inbox = new Inbox()
  const resolver = new Resolver({ journal, upstream: new Upstream(options.upstream) })
  const greylist = new Greylist(options.greylistSeconds)
  const starting = await Promise.allSettled([
    startSmtpHosts(options.smtpPort, {
      journal,
      inbox,
      greylist,
      latencyMs: options.latencyMs,
      domainsOf: (host) => DOMAINS_BY_HOST.get(host) ?? new Set(),
    }),
    startDnsServer(options.dnsPort, resolver),
    startHttpServer(options.dohPort, { resolver, journal, inbox, greylist }),
  ])
  const stop = async () => {
    await Promise.all(starting.map((part) => part.status === "fulfilled" && part.value.stop()))
  }
  const [smtp, dns, http] = starting
  if (smtp.status === "rejected" || dns.status === "rejected" || http.status === "rejected") {
    await stop()
    throw starting.find((part) => part.status === "rejected")!.reason
  }
  return {
    smtpPort: smtp.value.port,
    smtpNetwork: SMTP_NETWORK,
    dnsAddress: `127.0.0.1:${dns.value.port}`,
    dohUrl: http.value.dohUrl,
    log: () => journal.read(),
    stop,
  }
}

if (import.meta.main) await runFromEnvironment()

/** Prints one JSON line when all servers listen, and stops on SIGTERM. */
async function runFromEnvironment(): Promise<void> {
  const { env } = process
  try {
    const { smtpPort, smtpNetwork, dnsAddress, dohUrl, stop } = await startSandbox({
      smtpPort: Number(env.SANDBOX_SMTP_PORT ?? 2525),
      dnsPort: Number(env.SANDBOX_DNS_PORT ?? 5354),
      dohPort: Number(env.SANDBOX_DOH_PORT ?? 8054),
      greylistSeconds: Number(env.SANDBOX_GREYLIST_SECONDS ?? 300),
      latencyMs: Number(env.SANDBOX_LATENCY_MS ?? 0),
      upstream: (env.SANDBOX_UPSTREAM ?? "https://cloudflare-dns.com/dns-query,https://dns.google/dns-query")
        .split(",")
        .map((url) => url.trim())
        .filter((url) => url !== ""),
    })
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop)
    console.log(JSON.stringify({ smtpPort, smtpNetwork, dnsAddress, dohUrl }))
  } catch (error) {
    console.error(`The sandbox did not start: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
