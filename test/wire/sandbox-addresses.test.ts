import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import * as dns from "dns-packet"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SANDBOX_ADDRESSES } from "../../scripts/sandbox/addresses.ts"
import { type Sandbox, startSandbox } from "../../scripts/sandbox.ts"

/** What a plain client meets when it asks for each address: the stage it got to and what it heard there. */
const BEHAVIOUR: Readonly<Record<string, string>> = {
  "alice@mailbox.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice+news@mailbox.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "support@mailbox.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "nobody@mailbox.test": "rcpt 550 5.1.1, control 550 5.1.1",
  "disabled@mailbox.test": "rcpt 550 5.2.1, control 550 5.1.1",
  "full@mailbox.test": "rcpt 452 4.2.2, control 550 5.1.1",
  "overquota@mailbox.test": "rcpt 552 5.2.2, control 550 5.1.1",
  "alice@alias.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice@xn--bcher-kva.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "anyone@catch-all.test": "rcpt 250 2.1.5, control 250 2.1.5",
  "alice@catch-all-unclear.test": "rcpt 250 2.1.5, control 451 4.3.0",
  "alice@greylist.test": "rcpt 451 4.7.1, control 550 5.1.1",
  "alice@tempfail.test": "rcpt 450 4.3.2, control 450 4.3.2",
  "alice@client-refused.test": "rcpt 554 5.7.1, control 554 5.7.1",
  "alice@not-authorized.test": "rcpt 550 5.7.1, control 550 5.7.1",
  "alice@relay-denied.test": "rcpt 554 5.7.1, control 554 5.7.1",
  "alice@banner-refusal.test": "banner 554",
  "alice@ehlo-refusal.test": "helo 550 5.7.1",
  "alice@sender-refusal.test": "mail 550 5.7.1",
  "alice@one-ip.test": "banner 554 5.7.1, then rcpt 250 2.1.5, control 550 5.1.1",
  "alice@tarpit.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice@slow-greeting.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice@no-pipelining.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice@helo-only.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice@hang.test": "banner silent",
  "alice@hang-at-rcpt.test": "rcpt silent",
  "alice@garbage.test": "banner not SMTP",
  "alice@refused.test": "connect ECONNREFUSED",
  "alice@drop.test": "ehlo closed",
  "alice@reset.test": "rcpt ECONNRESET",
  "alice@starttls.test": "tls untrusted, rcpt 250, control 550 5.1.1",
  "alice@starttls-only.test": "tls untrusted, rcpt 250, control 550 5.1.1",
  "alice@tls-broken.test": "starttls ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  "alice@backup.test": "connect ECONNREFUSED, then rcpt 250 2.1.5, control 550 5.1.1",
  "alice@busy.test": "banner 421 4.7.0, then rcpt 250 2.1.5, control 550 5.1.1",
  "alice@many-mx.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice@dual-stack.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "alice@mx-unresolvable.test": "no address",
  "alice@mx-private.test": "outside the sandbox network",
  "alice@implicit-mx.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "josé@utf8.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "josé@no-utf8.test": "SMTPUTF8 not offered",
  "alice.mailbox.test": "not an address",
  "alice@null-mx.test": "null MX",
  "alice@no-such-domain.test": "NXDOMAIN",
  "alice@no-mail-host.test": "NODATA",
  "alice@dangling.test": "NXDOMAIN",
  "alice@servfail.test": "SERVFAIL",
  "alice@cname-loop.test": "SERVFAIL",
  "alice@dns-timeout.test": "DNS silent",
  "someone@inbox.test": "rcpt 250, control 250",
  "user1@d0042.test": "rcpt 250 2.1.5, control 550 5.1.1",
  "no-1@d0042.test": "rcpt 550 5.1.1, control 550 5.1.1",
}

/** Longer than the slowest step of the tarpit. */
const SILENCE_MS = 2_000
const CONTROL = "zq8x7k2m4w"

let sandbox: Sandbox
const seen = new Map<string, string>()

beforeAll(async () => {
  const ports = { smtpPort: 0, dnsPort: 0, dohPort: 0 }
  sandbox = await startSandbox({ ...ports, greylistSeconds: 300, latencyMs: 0, upstream: [] })
  await Promise.all(SANDBOX_ADDRESSES.map(async ({ address }) => seen.set(address, await ask(address))))
})
afterAll(() => sandbox?.stop())

describe("every sandbox address", () => {
  it("has its behaviour described here", () => {
    expect(Object.keys(BEHAVIOUR)).toEqual(SANDBOX_ADDRESSES.map(({ address }) => address))
  })

  it.each(SANDBOX_ADDRESSES)("$address: $about", ({ address, expect: expected }) => {
    const behaviour = seen.get(address)!
    expect(behaviour).toBe(BEHAVIOUR[address])
    // The table promises what the wire shows: the code of the last word, and whether the random sibling was taken.
    const last = behaviour.split("then ").at(-1)!
    expect(Number(/\b(?:banner|helo|mail|rcpt) (\d{3})/.exec(last)?.[1] ?? 0)).toBe(expected.smtp_response_code)
    expect(/control 250/.test(last)).toBe(expected.is_catch_all)
  })

  it("leaves a journal: all calls ended, nobody talked too early or pipelined where it is not offered", async () => {
    await expect.poll(() => sandbox.log().connections.filter(({ closed }) => !closed)).toEqual([])
    const { connections } = sandbox.log()
    expect(connections.filter(({ earlyTalk, improperPipelining }) => earlyTalk || improperPipelining)).toEqual([])
    expect(connections.find(({ host }) => host === "mx.starttls.test")).toMatchObject({ tls: true, closed: true })
  })
})

/** Asks as RFC 5321 wants it: the next MX where one does not take the call, the other source address after a refusal. */
async function ask(address: string): Promise<string> {
  const at = address.lastIndexOf("@")
  if (at < 0) return "not an address"
  const hosts = await mailHosts(address.slice(at + 1))
  if (typeof hosts === "string") return hosts
  const story: string[] = []
  for (const { ip, source } of hosts.flatMap((ip) => [
    { ip, source: "127.0.0.1" },
    { ip, source: "127.0.0.2" },
  ])) {
    if (!ip.startsWith("127.42.")) return "outside the sandbox network"
    const outcome = await talk(address, { ip, source })
    if (!story.includes(outcome)) story.push(outcome)
    if (/^(tls|rcpt|helo|mail|SMTPUTF8|ehlo|starttls)/.test(outcome)) break
  }
  return story.join(", then ")
}

async function mailHosts(domain: string): Promise<string | string[]> {
  const mx = await query(domain, "MX")
  if (typeof mx === "string") return mx
  const hosts = mx.flatMap((record) => (record.type === "MX" ? [record.data.exchange] : []))
  if (hosts[0] === ".") return "null MX"
  const ips: string[] = []
  for (const host of hosts.length > 0 ? hosts : [domain]) {
    const found = await query(host, "A")
    if (typeof found !== "string") ips.push(...found.flatMap((record) => (record.type === "A" ? [record.data] : [])))
  }
  if (ips.length > 0) return [...new Set(ips)]
  return hosts.length > 0 ? "no address" : "NODATA"
}

async function query(name: string, type: "MX" | "A"): Promise<dns.Answer[] | string> {
  try {
    const response = await fetch(sandbox.dohUrl, {
      method: "POST",
      headers: { "content-type": "application/dns-message" },
      body: Uint8Array.from(
        dns.encode({ type: "query", id: 0, flags: dns.RECURSION_DESIRED, questions: [{ name, type }] }),
      ),
      signal: AbortSignal.timeout(SILENCE_MS),
    })
    const answer = dns.decode(Buffer.from(await response.arrayBuffer()))
    const rcode = (answer.flags ?? 0) & 0x0f
    return rcode === 0 ? (answer.answers ?? []) : rcode === 3 ? "NXDOMAIN" : rcode === 2 ? "SERVFAIL" : `rcode ${rcode}`
  } catch {
    return "DNS silent"
  }
}

async function talk(address: string, { ip, source }: { ip: string; source: string }): Promise<string> {
  const wire = new Wire(connect({ host: ip, port: sandbox.smtpPort, localAddress: source }))
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
  let told = ""
  if (/STARTTLS/.test(features)) {
    await wire.ask("starttls", "STARTTLS")
    told = `tls ${await wire.encrypt()}, `
    features = await hello(wire)
  }
  const needsUtf8 = /[^\p{ASCII}]/u.test(address)
  if (needsUtf8 && !/SMTPUTF8/.test(features)) return "SMTPUTF8 not offered"
  const mail = await wire.ask("mail", `MAIL FROM:<probe@mailverdict.test>${needsUtf8 ? " SMTPUTF8" : ""}`)
  if (!mail.startsWith("250")) return `mail ${codes(mail)}`
  const rcpt = codes(await wire.ask("rcpt", `RCPT TO:<${address}>`))
  const control = codes(await wire.ask("rcpt", `RCPT TO:<${CONTROL}@${address.split("@").at(-1)}>`))
  await wire.ask("quit", "QUIT")
  return `${told}rcpt ${rcpt}, control ${control}`
}

async function hello(wire: Wire): Promise<string> {
  const ehlo = await wire.ask("ehlo", "EHLO probe.mailverdict.test")
  if (ehlo.startsWith("250")) return ehlo
  const helo = await wire.ask("helo", "HELO probe.mailverdict.test")
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
  #received = ""
  #ended = ""
  #wake: () => void = () => undefined

  constructor(socket: Socket) {
    this.socket = socket
    this.#listen(socket)
  }

  async connected(): Promise<void> {
    while (this.socket.connecting && !this.#ended) await this.#change()
    if (this.#ended) throw new WireFailure(`connect ${this.#ended}`)
  }

  ask(stage: string, command: string): Promise<string> {
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
      if (!(await this.#change())) throw new WireFailure(`${stage} silent`)
    }
  }

  /** Upgrades to TLS, whatever the certificate is worth. */
  async encrypt(): Promise<string> {
    this.socket.removeAllListeners("data")
    const secure = connectTls({ socket: this.socket, rejectUnauthorized: false })
    this.#listen(secure)
    this.socket = secure
    const done = new Promise<boolean>((resolve) => secure.once("secureConnect", () => resolve(true)))
    while (!(await Promise.race([done, this.#change()])) && !this.#ended);
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

  /** Waits until something happens on the connection. False: nothing did. */
  #change(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), SILENCE_MS)
      this.#wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }
}
