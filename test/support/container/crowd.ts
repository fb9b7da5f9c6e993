import { request } from "node:https"
import { text } from "node:stream/consumers"
import { connect } from "node:tls"

/**
 * A program that holds connections to a TLS server on port 443 of this machine: 300 from 127.0.0.1, each with a body
 * that does not arrive. Its argument is the cap. When all above the cap are refused, it makes one more call from the same
 * network and one from another, and prints what they got.
 */
const COUNT = 300
const SERVER = { host: "127.0.0.1", port: 443, servername: "api.localhost", rejectUnauthorized: false }
const STALLED = "POST /validate HTTP/1.1\r\nhost: api.localhost\r\ncontent-length: 10\r\n\r\n{"
const cap = Number(process.argv[2])

/** Resolves when it is refused: at once, or by an answer. */
function hold(): Promise<void> {
  return new Promise((refused) => {
    const from = { ...SERVER, localAddress: "127.0.0.1" }
    const socket = connect(from, () => socket.write(STALLED))
    socket.once("error", () => refused())
    socket.once("data", () => refused())
    socket.once("close", () => refused())
  })
}

function call(localAddress: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { host: "api.localhost" }
    const sent = request({ ...SERVER, localAddress, headers, agent: false }, async (response) =>
      resolve(`${response.statusCode} ${await text(response)}`),
    )
    sent.once("error", () => resolve("refused"))
    sent.end()
  })
}

let refused = 0
await new Promise<void>((resolve) => {
  for (let n = 0; n < COUNT; n++)
    hold().then(() => {
      refused++
      if (refused === COUNT - cap) resolve()
    })
})
console.log(JSON.stringify({ same: await call("127.0.0.1"), other: await call("127.0.0.2"), refused }))
process.exit()
