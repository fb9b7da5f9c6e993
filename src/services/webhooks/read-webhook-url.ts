import type { Context } from "../../context.ts"
import { readTargetUrl } from "../../domain/webhooks/target-url.ts"
import { invalidField } from "../../errors.ts"

/**
 * Validates a webhook's URL, empty for none. Each attempt resolves its host again.
 * @param field the request's field with the URL @throws AppError invalid
 */
export async function readWebhookUrl(ctx: Context, text: string, field = "webhook_url"): Promise<string> {
  if (text === "") return ""
  const target = readTargetUrl(text, ctx.config.webhookRules)
  if (!target.ok) throw invalidField([field], target.problem)
  if (await ctx.webhookSender.isBlocked(target.url))
    throw invalidField([field], "resolves to an address that is not public")
  return target.url
}
