import { createServer, type Socket } from "node:net"

/**
 * A minimal SMTP server for benchmarks. Answers each chunk of input in one write, after SERVER_TURN_MS. Accepts local
 * parts that start with "real" and rejects all others. Prints its port.
 */
const delayMs = Number(process.env.SERVER_TURN_MS ?? 0)
const EHLO = "250-mx.test\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250-ENHANCEDSTATUSCODES\r\n250 8BITMIME\r\n"

function answerTo(command: string): string {
  switch (command.charCodeAt(0)) {
    case 0x52: // RCPT or RSET
      if (command.startsWith("RSET")) return "250 2.0.0 Ok\r\n"
      return command.startsWith("RCPT TO:<real") ? "250 2.1.5 Ok\r\n" : "550 5.1.1 User unknown\r\n"
    case 0x45:
      return EHLO
    case 0x51:
      return "221 2.0.0 Bye\r\n"
    default:
      return "250 2.1.0 Ok\r\n"
  }
}

function answerLater(work: () => void): void {
  if (delayMs === 0) work()
  else setTimeout(work, delayMs)
}

function serve(socket: Socket): void {
  socket.on("error", () => undefined)
  answerLater(() => socket.write("220 mx.test ESMTP ready\r\n"))
  let rest = ""
  socket.on("data", (chunk) => {
    const lines = (rest + chunk.toString("latin1")).split("\r\n")
    rest = lines.pop()!
    const answer = lines.map(answerTo).join("")
    const isLast = lines.at(-1) === "QUIT"
    answerLater(() => {
      if (isLast) socket.end(answer)
      else socket.write(answer)
    })
  })
}

const server = createServer({ noDelay: true }, serve)
server.listen({ port: 0, host: "0.0.0.0", backlog: 16_384 }, () => {
  const bound = server.address()
  process.stdout.write(`${typeof bound === "object" && bound ? bound.port : 0}\n`)
})
