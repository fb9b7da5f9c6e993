import { expect, test } from "vitest"
import { createMailer } from "../../../src/adapters/accounts/mailer.ts"

const URL_OF_API = "https://mail.example/emails"
const letter = { to: "owner@mailbox.test", subject: "Sign in", text: "https://service.example/#/sign-in/x" }

/** Like a Worker's fetch, which sends no default headers. Resend refuses requests without a User-Agent (error 1010). */
function mailApi() {
  const taken: { headers: Headers; body: unknown }[] = []
  const fetch = async (_: string, { headers, body }: RequestInit) => {
    const given = new Headers(headers)
    if (!given.has("user-agent")) return new Response("error code: 1010", { status: 403 })
    taken.push({ headers: given, body: JSON.parse(String(body)) })
    return Response.json({ id: "1" })
  }
  return { fetch, taken }
}

test("mail is sent in Resend's format, with a User-Agent", async () => {
  const { fetch, taken } = mailApi()
  const mail = { url: URL_OF_API, key: "re_key", from: "sign-in@service.example" }
  await createMailer({ mail }, { fetch, userAgent: "Mailverdict (+https://service.example)" }).send(letter)
  expect(taken).toHaveLength(1)
  expect(taken[0]?.headers.get("user-agent")).toBe("Mailverdict (+https://service.example)")
  expect(taken[0]?.headers.get("authorization")).toBe("Bearer re_key")
  expect(taken[0]?.body).toEqual({ ...letter, to: [letter.to], from: mail.from })
})

test("a refusal is unavailable for the caller, with the status for the log and without the API's text", async () => {
  const fetch = async () => new Response("owner@mailbox.test is suppressed", { status: 422 })
  const mail = { url: URL_OF_API, key: undefined, from: "sign-in@service.example" }
  const sending = createMailer({ mail }, { fetch, userAgent: "Mailverdict" }).send(letter)
  const error = await sending.catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: "unavailable", cause: { message: "the mail API answered 422" } })
  expect(String(error)).not.toContain("@")
})
