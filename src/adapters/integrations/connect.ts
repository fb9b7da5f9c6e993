import type { SendConnection, SyncConnection } from "../../../schema/wire/integrations.ts"
import type { ProviderPlaces } from "../../env.ts"
import type { ApiNeeds } from "./api-client.ts"
import type { ContactBook, Messenger } from "./contact-book.ts"
import { createHubspot } from "./hubspot.ts"
import { createKlaviyo } from "./klaviyo.ts"
import { createMailchimp } from "./mailchimp.ts"
import { createSalesforce } from "./salesforce.ts"
import { createSlack } from "./slack.ts"
import { createZapier } from "./zapier.ts"

export interface Connectors {
  /** @param keepRefreshToken is told when the provider has replaced a token that is kept here */
  contactBook(connection: SyncConnection, keepRefreshToken: (refreshToken: string) => Promise<void>): ContactBook
  messenger(connection: SendConnection): Messenger
}

/** The clients of all providers. */
export function createConnectors(places: ProviderPlaces, needs: ApiNeeds): Connectors {
  return {
    contactBook(connection, keepRefreshToken) {
      switch (connection.provider) {
        case "hubspot":
          return createHubspot(connection, { ...needs, url: places.hubspotUrl })
        case "salesforce":
          return createSalesforce(connection, { ...needs, loginUrl: places.salesforceLoginUrl, keepRefreshToken })
        case "mailchimp":
          return createMailchimp(connection, { ...needs, url: places.mailchimpUrl })
        case "klaviyo":
          return createKlaviyo(connection, { ...needs, url: places.klaviyoUrl })
      }
    },

    messenger(connection) {
      return connection.provider === "slack"
        ? createSlack(connection, { ...needs, url: places.slackUrl })
        : createZapier(connection, { ...needs, hosts: places.zapierHosts })
    },
  }
}
