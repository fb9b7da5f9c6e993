import { connect } from "node:net"
import type { Listener } from "./mta-root.ts"

export interface Manners {
  /** Wait for the first bytes of the greeting; otherwise speak first. */
  readonly afterGreeting?: boolean
  /** Address to come from. */
  readonly from?: string
}

/** A host that says nothing for so long has no more to say. */
const SILENCE_MS = 5_000

/** All a host says to a client that sends its commands in one go. Nothing of our own engine, which never would. */
export function talkAtOnce(
  { address, port }: Listener,
  commands: readonly string[],
  { afterGreeting = false, from }: Manners = {},
): Promise<string> {
  return new Promise((resolve) => {
    let heard = ""
    const socket = connect({ host: address, port, ...(from ? { localAddress: from } : {}) })
    socket.once(afterGreeting ? "data" : "connect", () => socket.write(`${commands.join("\r\n")}\r\n`))
    socket.setTimeout(SILENCE_MS, () => socket.destroy())
    socket.on("data", (text: Buffer) => {
      heard += text
    })
    // A host that hangs up on unread commands resets the connection, after its answer.
    socket.on("error", (error) => {
      heard += error.message
    })
    socket.once("close", () => resolve(heard))
  })
}
