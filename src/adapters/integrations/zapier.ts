import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { providerFailure, providerSuccess, readProviderUrl } from "../../domain/integrations/provider.ts"
import { type ApiDeps, type ApiRules, createApi } from "./api-client.ts"
import type { Messenger } from "./contact-book.ts"

/** A catch hook answers 200 to any request and does not report what its Zap does. */
const RULES: ApiRules = { name: "Zapier", codeOf: () => null }

/** A catch hook of "Webhooks by Zapier". */
export function createZapier(
  { credentials }: Pick<ConnectionOf<"zapier">, "credentials">,
  { hosts, ...deps }: ApiDeps & { readonly hosts: readonly string[] },
): Messenger {
  const api = createApi(RULES, deps)

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
