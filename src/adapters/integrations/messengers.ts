import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import {
  type ProviderFailure,
  providerFailure,
  providerSuccess,
  readProviderUrl,
  slackHookHosts,
} from "../../domain/integrations/provider.ts"
import { type ApiDeps, type ApiRules, createApi, readAs } from "./api-client.ts"
import type { Messenger } from "./contact-book.ts"

const NAME = "Slack"

const Answer = z.object({ ok: z.boolean(), error: z.string().optional(), team: z.string().optional() })

/** Web API errors about the token, and temporary ones (api.slack.com, "Evaluating responses"). */
const OUTCOMES: Readonly<Record<string, ProviderFailure["outcome"]>> = {
  not_authed: "unauthorized",
  invalid_auth: "unauthorized",
  account_inactive: "unauthorized",
  token_revoked: "unauthorized",
  token_expired: "unauthorized",
  missing_scope: "unauthorized",
  org_login_required: "unauthorized",
  ratelimited: "rate_limited",
  // Too many messages to one channel, in addition to the method's limit above.
  rate_limited: "rate_limited",
  internal_error: "unreachable",
  fatal_error: "unreachable",
  request_timeout: "unreachable",
  service_unavailable: "unreachable",
  team_added_to_org: "unreachable",
}

/** The Web API answers 200 and reports errors in the body. A webhook answers with one word. */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body, text) => Answer.safeParse(body).data?.error ?? text.trim(),
  outcomeOf: ({ status, body }, code) => {
    const read = Answer.safeParse(body)
    if (status !== 200 || !read.success || read.data.ok) return null
    return OUTCOMES[code ?? ""] ?? "refused"
  },
}

/** Slack with a bot token (chat.postMessage) or with an incoming webhook, which posts to its one channel. */
export function createSlack(
  { credentials, settings }: Pick<ConnectionOf<"slack">, "credentials" | "settings">,
  { url, ...deps }: ApiDeps & { readonly url: string },
): Messenger {
  const api = createApi(RULES, deps)
  const { webhook_url: hookUrl, bot_token: token } = credentials
  const method = (name: string, json: object) =>
    api({ method: "POST", url: `${url}/${name}`, headers: { authorization: `Bearer ${token}` }, json })

  async function hook(json: object) {
    const target = readProviderUrl(hookUrl ?? "", slackHookHosts({ slackUrl: url }))
    if (!target.ok) return providerFailure({ outcome: "refused", detail: `the webhook_url ${target.problem}` })
    return api({ method: "POST", url: target.url, json, isHook: true })
  }

  return {
    async check() {
      if (hookUrl === undefined) {
        const found = readAs(NAME, Answer, await method("auth.test", {}))
        return found.ok ? providerSuccess(found.value.team ?? null) : found
      }
      // An active hook reports the missing text, an inactive one its own error. Nothing is posted.
      const found = await hook({ text: "" })
      if (found.ok || found.failure.code === "no_text") return providerSuccess(null)
      return found
    },

    async send({ text, channel }) {
      if (hookUrl !== undefined) {
        const sent = await hook({ text })
        return sent.ok ? providerSuccess(null) : sent
      }
      const to = channel ?? settings.channel
      if (to === undefined) return providerFailure({ outcome: "refused", detail: "a bot needs a channel" })
      const sent = readAs(NAME, Answer, await method("chat.postMessage", { channel: to, text }))
      return sent.ok ? providerSuccess(null) : sent
    },
  }
}

/** A catch hook answers 200 to any request and does not report what its Zap does. */
const HOOK_RULES: ApiRules = { name: "Zapier", codeOf: () => null }

/** A catch hook of "Webhooks by Zapier". */
export function createZapier(
  { credentials }: Pick<ConnectionOf<"zapier">, "credentials">,
  { hosts, ...deps }: ApiDeps & { readonly hosts: readonly string[] },
): Messenger {
  const api = createApi(HOOK_RULES, deps)

  async function post(json: object) {
    const target = readProviderUrl(credentials.hook_url, hosts)
    if (!target.ok) return providerFailure({ outcome: "refused", detail: `the hook_url ${target.problem}` })
    const sent = await api({ method: "POST", url: target.url, json, isHook: true })
    return sent.ok ? providerSuccess(null) : sent
  }

  return {
    // A catch hook cannot be checked without sending. Zapier shows this message as a sample.
    check: () => post({ event: "mailverdict.test", text: "Mailverdict can reach this hook", payload: null }),
    send: ({ text, payload }) => post({ event: "mailverdict.message", text, payload }),
  }
}
