import type { Connection } from "../../../schema/wire/integrations.ts"

/** Hosts of Salesforce organizations (help.salesforce.com, "My Domain URL formats"); in China Alibaba hosts them. */
const SALESFORCE_HOSTS = ["*.salesforce.com", "*.salesforce.mil", "*.sfcrmproducts.cn"]
const SLACK_HOOK_HOSTS = ["hooks.slack.com", "hooks.slack-gov.com"]

interface ProviderUrls {
  readonly salesforceLoginUrl: string
  readonly slackUrl: string
  readonly zapierHosts: readonly string[]
}

/** Hosts that an account's own URL may use, by provider. */
export function salesforceHosts({ salesforceLoginUrl }: Pick<ProviderUrls, "salesforceLoginUrl">): string[] {
  return [...SALESFORCE_HOSTS, new URL(salesforceLoginUrl).host]
}

export function slackHookHosts({ slackUrl }: Pick<ProviderUrls, "slackUrl">): string[] {
  return [...SLACK_HOOK_HOSTS, new URL(slackUrl).host]
}

/** The URL in an account's credentials and its allowed hosts; null for providers without one. */
export function ownUrlOf(
  connection: Connection,
  urls: ProviderUrls,
): { readonly field: string; readonly url: string; readonly hosts: readonly string[] } | null {
  const found = (field: string, url: string | undefined, hosts: readonly string[]) =>
    url === undefined ? null : { field, url, hosts }
  switch (connection.provider) {
    case "salesforce":
      return found("domain", connection.credentials.domain, salesforceHosts(urls))
    case "slack":
      return found("webhook_url", connection.credentials.webhook_url, slackHookHosts(urls))
    case "zapier":
      return found("hook_url", connection.credentials.hook_url, urls.zapierHosts)
    default:
      return null
  }
}
