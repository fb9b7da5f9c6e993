import type { SendConnection, SyncConnection } from "../../../schema/wire/integrations.ts"
import type { ProviderUrls } from "../../env.ts"
import type { ApiDeps } from "./api-client.ts"
import type { ContactBook, Messenger } from "./contact-book.ts"
import { createHubspot } from "./hubspot.ts"
import { createKlaviyo } from "./klaviyo.ts"
import { createMailchimp } from "./mailchimp.ts"
import { createSlack, createZapier } from "./messengers.ts"
import { createSalesforce } from "./salesforce.ts"

export type Connectors = ReturnType<typeof createConnectors>

/** Creates the clients of all providers. */
export function createConnectors(urls: ProviderUrls, common: ApiDeps) {
  return {
    /** @param storeRefreshToken called when the provider replaced a stored token */
    contactBook(
      connection: SyncConnection,
      storeRefreshToken: (refreshToken: string) => Promise<void>,
      onExchange?: ApiDeps["onExchange"],
    ): ContactBook {
      const deps = { ...common, onExchange }
      switch (connection.provider) {
        case "hubspot":
          return createHubspot(connection, { ...deps, url: urls.hubspotUrl })
        case "salesforce":
          return createSalesforce(connection, { ...deps, loginUrl: urls.salesforceLoginUrl, storeRefreshToken })
        case "mailchimp":
          return createMailchimp(connection, { ...deps, url: urls.mailchimpUrl })
        case "klaviyo":
          return createKlaviyo(connection, { ...deps, url: urls.klaviyoUrl })
      }
    },

    messenger(connection: SendConnection, onExchange?: ApiDeps["onExchange"]): Messenger {
      const deps = { ...common, onExchange }
      return connection.provider === "slack"
        ? createSlack(connection, { ...deps, url: urls.slackUrl })
        : createZapier(connection, { ...deps, hosts: urls.zapierHosts })
    },
  }
}
