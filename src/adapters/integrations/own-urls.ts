import type { Connection } from "../../../schema/wire/integrations.ts"
import type { ProviderPlaces } from "../../env.ts"

/** Salesforce's organizations live here (help.salesforce.com, "My Domain URL formats"), in China at Alibaba's. */
const SALESFORCE_HOSTS = ["*.salesforce.com", "*.salesforce.mil", "*.sfcrmproducts.cn"]
const SLACK_HOOK_HOSTS = ["hooks.slack.com", "hooks.slack-gov.com"]

/** Hosts that a URL of an account's own may name, by provider. */
export function salesforceHosts({ salesforceLoginUrl }: Pick<ProviderPlaces, "salesforceLoginUrl">): string[] {
  return [...SALESFORCE_HOSTS, new URL(salesforceLoginUrl).host]
}

export function slackHookHosts({ slackUrl }: Pick<ProviderPlaces, "slackUrl">): string[] {
  return [...SLACK_HOOK_HOSTS, new URL(slackUrl).host]
}

/** The URL that an account gives with its credentials, and the hosts it may be at; null where it gives none. */
export function ownUrlOf(
  connection: Connection,
  places: ProviderPlaces,
): { readonly field: string; readonly url: string; readonly hosts: readonly string[] } | null {
  const found = (field: string, url: string | undefined, hosts: readonly string[]) =>
    url === undefined ? null : { field, url, hosts }
  switch (connection.provider) {
    case "salesforce":
      return found("domain", connection.credentials.domain, salesforceHosts(places))
    case "slack":
      return found("webhook_url", connection.credentials.webhook_url, slackHookHosts(places))
    case "zapier":
      return found("hook_url", connection.credentials.hook_url, places.zapierHosts)
    default:
      return null
  }
}
