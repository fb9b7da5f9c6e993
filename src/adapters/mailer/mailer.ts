import type { Config } from "../../env.ts"
import { AppError } from "../../errors.ts"
import type { Fetch } from "../outbound.ts"

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends the few mails the service itself writes. */
export interface Mailer {
  /** @throws AppError unavailable when no way to send is configured, or it does not take the mail */
  send(mail: Mail): Promise<void>
}

const TIMEOUT_MS = 10_000

/**
 * Sends over an HTTP mail API in the form Resend publishes: `POST <url>` with a bearer token and `{from, to, subject, text}`.
 * Other providers take the same form through their own small gateways; `npm start` has a local one.
 */
export function createMailer(
  { mail }: Pick<Config, "mail">,
  { fetch, userAgent }: { fetch: Fetch /** Requests without one are refused with 403. */; userAgent: string },
): Mailer {
  return {
    async send({ to, subject, text }) {
      if (!mail) throw new AppError("unavailable", "no mail can be sent: MAIL_API_URL and MAIL_FROM are not set")
      const response = await fetch(mail.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": userAgent,
          ...(mail.key ? { authorization: `Bearer ${mail.key}` } : {}),
        },
        body: JSON.stringify({ from: mail.from, to: [to], subject, text }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: "manual",
      }).catch((cause: unknown) => {
        throw new AppError("unavailable", "the mail service does not answer; try again shortly", { cause })
      })
      await response.body?.cancel()
      if (response.ok) return
      const cause = new Error(`the mail API answered ${response.status}`)
      throw new AppError("unavailable", "the mail service did not take the mail; try again shortly", { cause })
    },
  }
}
