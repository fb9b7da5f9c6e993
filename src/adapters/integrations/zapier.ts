import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { readProviderUrl } from "../../domain/integrations/provider-url.ts"
import { answered, troubled } from "../../domain/integrations/trouble.ts"
import { type ApiNeeds, type ApiRules, createApi } from "./api-client.ts"
import type { Messenger } from "./contact-book.ts"

/** A catch hook answers 200 to whatever it caught; what its Zap makes of it nobody tells. */
const RULES: ApiRules = { name: "Zapier", codeOf: () => null }

/** A catch hook of "Webhooks by Zapier". */
export function createZapier(
  { credentials }: Pick<ConnectionOf<"zapier">, "credentials">,
  { hosts, ...needs }: ApiNeeds & { readonly hosts: readonly string[] },
): Messenger {
  const api = createApi(RULES, needs)

  async function post(json: object) {
    const target = readProviderUrl(credentials.hook_url, hosts)
    if (!target.ok) return troubled({ outcome: "refused", detail: `the hook_url ${target.problem}` })
    const sent = await api({ method: "POST", url: target.url, json })
    return sent.ok ? answered(null) : sent
  }

  return {
    // There is no asking without sending; Zapier shows what came as a sample.
    check: () => post({ event: "mailverdict.test", text: "Mailverdict can reach this hook", payload: null }),
    send: ({ text, payload }) => post({ event: "mailverdict.message", text, payload }),
  }
}
