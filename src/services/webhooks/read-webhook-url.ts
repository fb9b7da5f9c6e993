import type { Deps } from "../../deps.ts"
import { readTargetUrl } from "../../domain/webhooks/target-url.ts"
import { AppError } from "../../errors.ts"

/** The caller's `webhook_url`, empty for none. @throws AppError invalid, naming the field */
export function readWebhookUrl(
  { webhookRules }: Pick<Deps, "webhookRules">,
  text: string,
  place: "query" | "body" = "query",
): string {
  if (text === "") return ""
  const target = readTargetUrl(text, webhookRules)
  if (target.ok) return target.url
  const fields = [{ loc: [place, "webhook_url"], msg: target.problem, type: "value_error" }]
  throw new AppError("invalid", "invalid request", { fields })
}
