// The proxy of a guide's host name: TLS at port 443, in front of the port that a file names.
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { createServer } from "node:https"

const [cert, key] = ["/run/guide-cert.pem", "/run/guide-key.pem"].map((path) => readFileSync(path))

createServer({ cert, key }, (asked, answer) => {
  const headers = { ...asked.headers, "x-real-ip": "198.51.100.4", "x-forwarded-proto": "https" }
  const port = Number(readFileSync("/run/guide-port", "utf8"))
  const passed = request({ port, host: "127.0.0.1", method: asked.method, path: asked.url, headers }, (given) => {
    answer.writeHead(given.statusCode, given.headers)
    given.pipe(answer)
  })
  passed.on("error", () => answer.writeHead(502).end("no service"))
  asked.pipe(passed)
}).listen(443, "127.0.0.1", () => console.log("listening"))
