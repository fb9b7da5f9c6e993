import type { Context } from "../../context.ts"
import { readTargetUrl } from "../../domain/integrations/webhook-url.ts"
import { invalidField } from "../../errors.ts"

/** Validates `webhook_url`, empty for none. Each attempt resolves its host again. @throws AppError invalid */
export async function readWebhookUrl(ctx: Context, text: string): Promise<string> {
  if (text === "") return ""
  const target = readTargetUrl(text, ctx.config.webhookRules)
  if (!target.ok) throw invalidField(["webhook_url"], target.problem)
  if (await ctx.webhookSender.isBlocked(target.url))
    throw invalidField(["webhook_url"], "resolves to an address that is not public")
  return target.url
}
