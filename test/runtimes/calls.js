import { ConnectionError, createClient, MailverdictError } from "mailverdict"

const WRONG_KEY = `mv_live_${"0".repeat(43)}`
const LIST = ["email", "alice@mailbox.test", "nobody@mailbox.test", "someone@inbox.test"]

/**
 * Calls a running service by the installed package, as its README does, with what every runtime has.
 * @returns one line with the runtime and what each call gave
 */
export async function callService(baseUrl, apiKey) {
  const client = createClient({ baseUrl, apiKey })
  const { status } = await client.verify("alice@mailbox.test")
  const refused = await errorOf(createClient({ baseUrl, apiKey: WRONG_KEY }).usage())
  const lost = await errorOf(createClient({ baseUrl: "http://127.0.0.1:9", maxRetries: 0 }).usage())
  const { job_id } = await client.lists.upload(new File([LIST.join("\n")], "customers.csv"))
  await client.lists.wait(job_id, { pollMs: 200 })
  const results = []
  for await (const { checks } of client.lists.results(job_id)) results.push(checks.email)
  const runtime = globalThis.navigator?.userAgent ?? `Node.js/${process.versions.node}`
  return `${runtime}: ${[status, refused, lost, ...results].join(", ")}`
}

/** @returns the class of an error, whether its constructor is the exported one, and its HTTP status */
async function errorOf(call) {
  const error = await call.then(
    () => null,
    (reason) => reason,
  )
  if (error instanceof MailverdictError) return `MailverdictError ${error.status}`
  return error instanceof ConnectionError ? "ConnectionError" : String(error)
}
