import type { Deps } from "../../deps.ts"
import { readTargetUrl } from "../../domain/webhooks/target-url.ts"
import { AppError } from "../../errors.ts"

/**
 * The caller's `webhook_url`, empty for none; where its name leads is looked at now and again at each attempt.
 * @throws AppError invalid, naming the field
 */
export async function readWebhookUrl(
  { webhookRules, webhookSender }: Pick<Deps, "webhookRules" | "webhookSender">,
  text: string,
  place: "query" | "body" = "query",
): Promise<string> {
  if (text === "") return ""
  const target = readTargetUrl(text, webhookRules)
  if (!target.ok) throw refused(target.problem, place)
  if (await webhookSender.isBlocked(target.url)) throw refused("leads to an address that is not public", place)
  return target.url
}

function refused(msg: string, place: string): AppError {
  return new AppError("invalid", "invalid request", {
    fields: [{ loc: [place, "webhook_url"], msg, type: "value_error" }],
  })
}
