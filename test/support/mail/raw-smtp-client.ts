import { connect } from "node:net"
import type { Listener } from "./mta-root.ts"

export interface TalkOptions {
  /** Wait for the first bytes of the greeting. Otherwise send first. */
  readonly afterGreeting?: boolean
  /** Source address. */
  readonly from?: string
}

/** The session ends after this silence of the host. */
const SILENCE_MS = 30_000

/** Returns all data of a host to a client that sends its commands at once, which the node's engine never does. */
export function sendWithoutWaiting(
  { address, port }: Listener,
  commands: readonly string[],
  { afterGreeting = false, from }: TalkOptions = {},
): Promise<string> {
  return new Promise((resolve) => {
    let received = ""
    const socket = connect({ host: address, port, ...(from ? { localAddress: from } : {}) })
    socket.once(afterGreeting ? "data" : "connect", () => socket.write(`${commands.join("\r\n")}\r\n`))
    socket.setTimeout(SILENCE_MS, () => socket.destroy())
    socket.on("data", (text: Buffer) => {
      received += text
    })
    // A host that closes with unread commands resets the connection after its reply.
    socket.on("error", (error) => {
      received += error.message
    })
    socket.once("close", () => resolve(received))
  })
}
