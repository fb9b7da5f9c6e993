import type { Config } from "../../env.ts"
import { AppError } from "../../errors.ts"
import type { Fetch } from "../outbound.ts"

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends the few mails of the service itself. */
export interface Mailer {
  /** Whether a mail API is configured. */
  readonly isConfigured: boolean
  /** @throws AppError unavailable when no mail API is configured or it refuses the mail */
  send(mail: Mail): Promise<void>
}

const TIMEOUT_MS = 10_000

/**
 * Sends over an HTTP mail API like Resend's: `POST <url>` with a bearer token and `{from, to, subject, text}`.
 * Other providers need a small gateway with this format; `npm start` includes a local one.
 */
export function createMailer(
  { mail }: Pick<Config, "mail">,
  { fetch, userAgent }: { fetch: Fetch /** Requests without one are refused with 403. */; userAgent: string },
): Mailer {
  return {
    isConfigured: mail !== null,

    async send({ to, subject, text }) {
      if (!mail) throw new AppError("not_configured", "no mail can be sent: MAIL_API_URL and MAIL_FROM are not set")
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
      throw new AppError("unavailable", "the mail service refused the mail; try again shortly", { cause })
    },
  }
}
