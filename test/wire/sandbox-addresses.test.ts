import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import * as dns from "dns-packet"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SANDBOX_ADDRESSES } from "../../scripts/sandbox/addresses.ts"
import { type Sandbox, startSandbox } from "../../scripts/sandbox/main.ts"

/** What a simple client gets for each address: the stage it reaches and the reply there. */
const BEHAVIOR: Readonly<Record<string, string>> = {
  "alice@mailbox.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice+news@mailbox.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "support@mailbox.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "nobody@mailbox.test": "rcpt 550 5.1.1, random 550 5.1.1",
  "disabled@mailbox.test": "rcpt 550 5.2.1, random 550 5.1.1",
  "full@mailbox.test": "rcpt 452 4.2.2, random 550 5.1.1",
  "overquota@mailbox.test": "rcpt 552 5.2.2, random 550 5.1.1",
  "alice@alias.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice@xn--bcher-kva.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "anyone@catch-all.test": "rcpt 250 2.1.5, random 250 2.1.5",
  "alice@catch-all-unclear.test": "rcpt 250 2.1.5, random 451 4.3.0",
  "alice@greylist.test": "rcpt 451 4.7.1, random 550 5.1.1",
  "alice@tempfail.test": "rcpt 450 4.3.2, random 450 4.3.2",
  "alice@client-refused.test": "rcpt 554 5.7.1, random 554 5.7.1",
  "alice@not-authorized.test": "rcpt 550 5.7.1, random 550 5.7.1",
  "alice@relay-denied.test": "rcpt 554 5.7.1, random 554 5.7.1",
  "alice@banner-refusal.test": "banner 554",
  "alice@ehlo-refusal.test": "helo 550 5.7.1",
  "alice@sender-refusal.test": "mail 550 5.7.1",
  "alice@one-ip.test": "banner 554 5.7.1, then rcpt 250 2.1.5, random 550 5.1.1",
  "alice@tarpit.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice@slow-greeting.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice@no-pipelining.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice@helo-only.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice@hang.test": "banner silent",
  "alice@hang-at-rcpt.test": "rcpt silent",
  "alice@garbage.test": "banner not SMTP",
  "alice@refused.test": "connect ECONNREFUSED",
  "alice@drop.test": "ehlo closed",
  "alice@reset.test": "rcpt ECONNRESET",
  "alice@starttls.test": "tls untrusted, rcpt 250, random 550 5.1.1",
  "alice@starttls-only.test": "tls untrusted, rcpt 250, random 550 5.1.1",
  "alice@tls-broken.test": "starttls ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  "alice@backup.test": "connect ECONNREFUSED, then rcpt 250 2.1.5, random 550 5.1.1",
  "alice@busy.test": "banner 421 4.7.0, then rcpt 250 2.1.5, random 550 5.1.1",
  "alice@many-mx.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice@dual-stack.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "alice@mx-unresolvable.test": "no address",
  "alice@mx-private.test": "outside the sandbox network",
  "alice@implicit-mx.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "josé@utf8.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "josé@no-utf8.test": "SMTPUTF8 not offered",
  "alice.mailbox.test": "not an address",
  "alice@null-mx.test": "null MX",
  "alice@no-such-domain.test": "NXDOMAIN",
  "alice@no-mail-host.test": "NODATA",
  "alice@dangling.test": "NXDOMAIN",
  "alice@servfail.test": "SERVFAIL",
  "alice@cname-loop.test": "SERVFAIL",
  "alice@dns-timeout.test": "DNS silent",
  "someone@inbox.test": "rcpt 250, random 250",
  "user1@d0042.test": "rcpt 250 2.1.5, random 550 5.1.1",
  "no-1@d0042.test": "rcpt 550 5.1.1, random 550 5.1.1",
}

/** Where silence is expected, it lasts for so long. Elsewhere a host may take its time. */
const [SILENCE_MS, PATIENCE_MS] = [1_000, 50_000]
const patienceFor = (address: string, stage: string) =>
  BEHAVIOR[address] === `${stage} silent` ? SILENCE_MS : PATIENCE_MS
const RANDOM_LOCAL = "zq8x7k2m4w"

let sandbox: Sandbox
const seen = new Map<string, string>()

beforeAll(async () => {
  const ports = { smtpPort: 0, dnsPort: 0, dohPort: 0 }
  sandbox = await startSandbox({ ...ports, greylistSeconds: 300, latencyMs: 0, upstream: [] })
  await Promise.all(SANDBOX_ADDRESSES.map(async ({ address }) => seen.set(address, await probe(address))))
})
afterAll(() => sandbox?.stop())

describe("every sandbox address", () => {
  it("has a described behavior", () => {
    expect(Object.keys(BEHAVIOR)).toEqual(SANDBOX_ADDRESSES.map(({ address }) => address))
  })

  it.each(SANDBOX_ADDRESSES)("$address: $about", ({ address, expect: expected }) => {
    const behavior = seen.get(address)!
    expect(behavior).toBe(BEHAVIOR[address])
    // The table of addresses matches the wire: the code of the last reply, and whether the random recipient was
    // accepted.
    const last = behavior.split("then ").at(-1)!
    expect(Number(/\b(?:banner|helo|mail|rcpt) (\d{3})/.exec(last)?.[1] ?? 0)).toBe(expected.smtp_response_code)
    expect(/random 250/.test(last)).toBe(expected.is_catch_all)
  })

  it("is logged: all connections closed, no early talkers, no pipelining without an offer", async () => {
    await expect.poll(() => sandbox.log().connections.filter(({ closed }) => !closed)).toEqual([])
    const { connections } = sandbox.log()
    expect(connections.filter(({ earlyTalk, improperPipelining }) => earlyTalk || improperPipelining)).toEqual([])
    expect(connections.find(({ host }) => host === "mx.starttls.test")).toMatchObject({ tls: true, closed: true })
  })
})

/** Probes as RFC 5321 requires: the next MX after a failed connection, the other source address after a refusal. */
async function probe(address: string): Promise<string> {
  const at = address.lastIndexOf("@")
  if (at < 0) return "not an address"
  const hosts = await mailHosts(address.slice(at + 1), patienceFor(address, "DNS"))
  if (typeof hosts === "string") return hosts
  const outcomes: string[] = []
  for (const { ip, source } of hosts.flatMap((ip) => [
    { ip, source: "127.0.0.1" },
    { ip, source: "127.0.0.2" },
  ])) {
    if (!ip.startsWith("127.42.")) return "outside the sandbox network"
    const outcome = await talk(address, { ip, source })
    if (!outcomes.includes(outcome)) outcomes.push(outcome)
    if (/^(tls|rcpt|helo|mail|SMTPUTF8|ehlo|starttls)/.test(outcome)) break
  }
  return outcomes.join(", then ")
}

async function mailHosts(domain: string, patienceMs: number): Promise<string | string[]> {
  const mx = await query(domain, "MX", patienceMs)
  if (typeof mx === "string") return mx
  const hosts = mx.flatMap((record) => (record.type === "MX" ? [record.data.exchange] : []))
  if (hosts[0] === ".") return "null MX"
  const ips: string[] = []
  for (const host of hosts.length > 0 ? hosts : [domain]) {
    const found = await query(host, "A", patienceMs)
    if (typeof found !== "string") ips.push(...found.flatMap((record) => (record.type === "A" ? [record.data] : [])))
  }
  if (ips.length > 0) return [...new Set(ips)]
  return hosts.length > 0 ? "no address" : "NODATA"
}

async function query(name: string, type: "MX" | "A", patienceMs: number): Promise<dns.Answer[] | string> {
  try {
    const response = await fetch(sandbox.dohUrl, {
      method: "POST",
      headers: { "content-type": "application/dns-message" },
      body: Uint8Array.from(
        dns.encode({ type: "query", id: 0, flags: dns.RECURSION_DESIRED, questions: [{ name, type }] }),
      ),
      signal: AbortSignal.timeout(patienceMs),
    })
    const answer = dns.decode(Buffer.from(await response.arrayBuffer()))
    const rcode = (answer.flags ?? 0) & 0x0f
    return rcode === 0 ? (answer.answers ?? []) : rcode === 3 ? "NXDOMAIN" : rcode === 2 ? "SERVFAIL" : `rcode ${rcode}`
  } catch {
    return "DNS silent"
  }
}

async function talk(address: string, { ip, source }: { ip: string; source: string }): Promise<string> {
  const wire = new Wire(address, connect({ host: ip, port: sandbox.smtpPort, localAddress: source }))
  try {
    return await converse(wire, address)
  } catch (error) {
    if (error instanceof WireFailure) return error.message
    throw error
  } finally {
    wire.socket.destroy()
  }
}

async function converse(wire: Wire, address: string): Promise<string> {
  await wire.connected()
  const banner = await wire.reply("banner")
  if (!banner.startsWith("220")) return `banner ${codes(banner)}`
  let features = await hello(wire)
  let tlsPrefix = ""
  if (/STARTTLS/.test(features)) {
    await wire.send("starttls", "STARTTLS")
    tlsPrefix = `tls ${await wire.encrypt()}, `
    features = await hello(wire)
  }
  const needsUtf8 = /[^\p{ASCII}]/u.test(address)
  if (needsUtf8 && !/SMTPUTF8/.test(features)) return "SMTPUTF8 not offered"
  const mail = await wire.send("mail", `MAIL FROM:<probe@mailverdict.test>${needsUtf8 ? " SMTPUTF8" : ""}`)
  if (!mail.startsWith("250")) return `mail ${codes(mail)}`
  const rcpt = codes(await wire.send("rcpt", `RCPT TO:<${address}>`))
  const random = codes(await wire.send("rcpt", `RCPT TO:<${RANDOM_LOCAL}@${address.split("@").at(-1)}>`))
  await wire.send("quit", "QUIT")
  return `${tlsPrefix}rcpt ${rcpt}, random ${random}`
}

async function hello(wire: Wire): Promise<string> {
  const ehlo = await wire.send("ehlo", "EHLO probe.mailverdict.test")
  if (ehlo.startsWith("250")) return ehlo
  const helo = await wire.send("helo", "HELO probe.mailverdict.test")
  if (!helo.startsWith("250")) throw new WireFailure(`helo ${codes(helo)}`)
  return helo
}

function codes(reply: string): string {
  return /^\d{3}(?:[ -]\d\.\d+\.\d+)?/.exec(reply)![0].replace("-", " ")
}

class WireFailure extends Error {}

/** One SMTP connection, read reply by reply. */
class Wire {
  socket: Socket
  readonly #address: string
  #received = ""
  #ended = ""
  #wake: () => void = () => undefined

  constructor(address: string, socket: Socket) {
    this.#address = address
    this.socket = socket
    this.#listen(socket)
  }

  async connected(): Promise<void> {
    while (this.socket.connecting && !this.#ended) await this.#change("connect")
    if (this.#ended) throw new WireFailure(`connect ${this.#ended}`)
  }

  send(stage: string, command: string): Promise<string> {
    this.socket.write(`${command}\r\n`)
    return this.reply(stage)
  }

  async reply(stage: string): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#received)?.[0]
      if (whole) {
        this.#received = this.#received.slice(whole.length)
        return whole
      }
      if (this.#received && !/^\d{3}[ -]/.test(this.#received)) throw new WireFailure(`${stage} not SMTP`)
      if (this.#ended) throw new WireFailure(`${stage} ${this.#ended}`)
      if (!(await this.#change(stage))) throw new WireFailure(`${stage} silent`)
    }
  }

  /** Upgrades to TLS with any certificate. */
  async encrypt(): Promise<string> {
    this.socket.removeAllListeners("data")
    const secure = connectTls({ socket: this.socket, rejectUnauthorized: false })
    this.#listen(secure)
    this.socket = secure
    const done = new Promise<boolean>((resolve) => secure.once("secureConnect", () => resolve(true)))
    while (!(await Promise.race([done, this.#change("tls")])) && !this.#ended);
    if (this.#ended) throw new WireFailure(`starttls ${this.#ended}`)
    return secure.authorized ? "trusted" : "untrusted"
  }

  #listen(socket: Socket): void {
    socket.on("connect", () => this.#wake())
    socket.on("data", (chunk) => {
      this.#received += chunk.toString()
      this.#wake()
    })
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.#ended ||= error.code ?? error.message
      this.#wake()
    })
    socket.on("close", () => {
      this.#ended ||= "closed"
      this.#wake()
    })
  }

  /** Waits for an event of the connection. False after the time limit. */
  async #change(stage: string): Promise<boolean> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await once(AbortSignal.any([woken.signal, AbortSignal.timeout(patienceFor(this.#address, stage))]), "abort")
    return woken.signal.aborted
  }
}
