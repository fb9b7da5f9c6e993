import ipaddr from "ipaddr.js"
import type { SmtpFailure } from "../../schema/vocabulary.ts"

/** A SOCKS5 proxy for outgoing connections. */
export interface SocksProxy {
  readonly host: string
  readonly port: number
  readonly credentials: { readonly username: string; readonly password: string } | null
}

/** Replaces the source IP in reports when a proxy hides it. */
export function sourceName({ host }: SocksProxy): string {
  return `socks5:${host}`.slice(0, 45)
}

export type ProxyStep =
  | { kind: "wait" }
  | { kind: "send"; bytes: Uint8Array }
  /** The connection to the mail host is open. `rest` holds bytes that it has already sent. */
  | { kind: "open"; rest: Buffer }
  | { kind: "failed"; failure: SmtpFailure; detail: string }

const VERSION = 5
const NO_AUTHENTICATION = 0
const USERNAME_PASSWORD = 2
const CONNECT = 1
const IPV4 = 1
const IPV6 = 4

/** Replies of RFC 1928 §6 about the mail host. All others are about the proxy. */
const FAILURE_OF_REPLY: Readonly<Record<number, SmtpFailure>> = {
  3: "unreachable",
  4: "unreachable",
  5: "refused",
  6: "timeout",
}

/** Client side of a SOCKS5 CONNECT by IP address (RFC 1928), with optional password (RFC 1929). It does no I/O. */
export class Socks5Handshake {
  readonly #credentials: SocksProxy["credentials"]
  readonly #target: { address: string; port: number }
  #state: "method" | "password" | "connect" = "method"
  #input = Buffer.alloc(0)

  constructor({ credentials }: SocksProxy, target: { address: string; port: number }) {
    this.#credentials = credentials
    this.#target = target
  }

  /** The first message to the proxy. */
  greeting(): Uint8Array {
    const methods = this.#credentials ? [NO_AUTHENTICATION, USERNAME_PASSWORD] : [NO_AUTHENTICATION]
    return Uint8Array.of(VERSION, methods.length, ...methods)
  }

  receive(chunk: Buffer): ProxyStep {
    this.#input = Buffer.concat([this.#input, chunk])
    if (this.#state === "connect") return this.#receiveConnect()
    if (this.#input.length < 2) return { kind: "wait" }
    const [version, answer] = this.#input
    this.#input = this.#input.subarray(2)
    if (this.#state === "method" && version !== VERSION) return failed("the proxy does not speak SOCKS5")
    if (this.#state === "password") return answer === 0 ? this.#connect() : failed("the proxy refused the password")
    if (answer === NO_AUTHENTICATION) return this.#connect()
    if (answer === USERNAME_PASSWORD && this.#credentials) return this.#authenticate(this.#credentials)
    return failed("the proxy requires an unsupported authentication method")
  }

  #authenticate({ username, password }: { username: string; password: string }): ProxyStep {
    this.#state = "password"
    const [name, secret] = [Buffer.from(username), Buffer.from(password)]
    return { kind: "send", bytes: Buffer.concat([Buffer.of(1, name.length), name, Buffer.of(secret.length), secret]) }
  }

  #connect(): ProxyStep {
    this.#state = "connect"
    const { address, port } = this.#target
    const bytes = ipaddr.parse(address).toByteArray()
    const type = bytes.length === 4 ? IPV4 : IPV6
    return { kind: "send", bytes: Uint8Array.of(VERSION, CONNECT, 0, type, ...bytes, port >> 8, port & 0xff) }
  }

  #receiveConnect(): ProxyStep {
    if (this.#input.length < 5) return { kind: "wait" }
    const [version, reply, , type, nameLength] = this.#input
    if (version !== VERSION) return failed("the proxy does not speak SOCKS5")
    if (reply !== 0) return failed(`the proxy answered ${reply}`, FAILURE_OF_REPLY[reply!])
    const length = 6 + (type === IPV4 ? 4 : type === IPV6 ? 16 : 1 + nameLength!)
    return this.#input.length < length ? { kind: "wait" } : { kind: "open", rest: this.#input.subarray(length) }
  }
}

function failed(detail: string, failure: SmtpFailure = "proxy"): ProxyStep {
  return { kind: "failed", failure, detail }
}
