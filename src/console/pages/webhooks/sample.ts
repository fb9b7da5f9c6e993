/** A receiver for Node that verifies the signature. The body has to be the bytes as they came. */
export const SAMPLE = `import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.WEBHOOK_SECRET) // whsec_…

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers)
    console.log(event.type, event.data)
    response.writeHead(204).end()
  } catch {
    response.writeHead(401).end() // not from us
  }
}).listen(3000)
`
