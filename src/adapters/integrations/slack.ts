import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { readProviderUrl } from "../../domain/integrations/provider-url.ts"
import { answered, type Trouble, troubled } from "../../domain/integrations/trouble.ts"
import { type ApiNeeds, type ApiRules, createApi } from "./api-client.ts"
import type { Messenger } from "./contact-book.ts"
import { slackHookHosts } from "./own-urls.ts"

const NAME = "Slack"

const Answer = z.object({ ok: z.boolean(), error: z.string().optional(), team: z.string().optional() })

/** Errors of the Web API that mean the token, and those that pass (api.slack.com, "Evaluating responses"). */
const OUTCOMES: Readonly<Record<string, Trouble["outcome"]>> = {
  not_authed: "unauthorized",
  invalid_auth: "unauthorized",
  account_inactive: "unauthorized",
  token_revoked: "unauthorized",
  token_expired: "unauthorized",
  missing_scope: "unauthorized",
  org_login_required: "unauthorized",
  ratelimited: "rate_limited",
  // Too many messages to one channel, beside the method's own limit above.
  rate_limited: "rate_limited",
  internal_error: "unreachable",
  fatal_error: "unreachable",
  request_timeout: "unreachable",
  service_unavailable: "unreachable",
  team_added_to_org: "unreachable",
}

/** The Web API answers 200 and says in the body how it went; a webhook answers in a word. */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body, text) => Answer.safeParse(body).data?.error ?? text.trim(),
  outcomeOf: ({ status, body }, code) => {
    const read = Answer.safeParse(body)
    if (status !== 200 || !read.success || read.data.ok) return null
    return OUTCOMES[code ?? ""] ?? "refused"
  },
}

/** Slack by a bot's token (chat.postMessage) or by an incoming webhook, which writes to its one channel. */
export function createSlack(
  { credentials, settings }: Pick<ConnectionOf<"slack">, "credentials" | "settings">,
  { url, ...needs }: ApiNeeds & { readonly url: string },
): Messenger {
  const api = createApi(RULES, needs)
  const { webhook_url: hookUrl, bot_token: token } = credentials
  const method = (name: string, json: object) =>
    api({ method: "POST", url: `${url}/${name}`, headers: { authorization: `Bearer ${token}` }, json })

  async function hook(json: object) {
    const target = readProviderUrl(hookUrl ?? "", slackHookHosts({ slackUrl: url }))
    if (!target.ok) return troubled({ outcome: "refused", detail: `the webhook_url ${target.problem}` })
    return api({ method: "POST", url: target.url, json })
  }

  return {
    async check() {
      if (hookUrl === undefined) {
        const found = await method("auth.test", {})
        return found.ok ? answered(Answer.parse(found.value.body).team ?? null) : found
      }
      // A hook that is alive misses the text; one that is gone says so first. Nothing is posted.
      const found = await hook({ text: "" })
      if (found.ok || found.trouble.code === "no_text") return answered(null)
      return found
    },

    async send({ text, channel }) {
      if (hookUrl !== undefined) {
        const sent = await hook({ text })
        return sent.ok ? answered(null) : sent
      }
      const to = channel ?? settings.channel
      if (to === undefined) return troubled({ outcome: "refused", detail: "a bot needs to be told the channel" })
      const sent = await method("chat.postMessage", { channel: to, text })
      return sent.ok ? answered(null) : sent
    },
  }
}
