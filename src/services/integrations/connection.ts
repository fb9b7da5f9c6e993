import { SEND_PROVIDERS } from "../../../schema/vocabulary.ts"
import { Connection, type SendConnection, type SyncConnection } from "../../../schema/wire/integrations.ts"
import type { ContactBook, Messenger } from "../../adapters/integrations/contact-book.ts"
import type { Integration } from "../../adapters/store/integrations.ts"
import type { Deps } from "../../deps.ts"

export type ConnectionNeeds = Pick<Deps, "sealer" | "integrations" | "connectors">

/** What an integration's credentials are sealed for: those of another one do not open in their place. */
function purposeOf(integrationId: string): string {
  return `integration ${integrationId}`
}

export async function sealCredentials(
  { sealer }: Pick<Deps, "sealer">,
  integrationId: string,
  { credentials }: Pick<Connection, "credentials">,
): Promise<Pick<Integration, "sealed" | "sealKeyId">> {
  const sealed = await sealer.seal(purposeOf(integrationId), JSON.stringify(credentials))
  return { sealed, sealKeyId: sealer.keyId }
}

/** An integration with its credentials; null when they cannot be opened any more. Sealed by a former key, they are sealed anew. */
export async function openConnection(needs: ConnectionNeeds, integration: Integration): Promise<Connection | null> {
  const { integrationId, provider, settings, sealed, sealKeyId } = integration
  const opened = await needs.sealer.open(purposeOf(integrationId), sealed)
  if (opened === null) return null
  const connection = Connection.parse({ provider, credentials: JSON.parse(opened), settings })
  if (sealKeyId !== needs.sealer.keyId)
    await needs.integrations.reseal(integrationId, await sealCredentials(needs, integrationId, connection), sealed)
  return connection
}

/** The contacts of an integration. A refresh token that the provider replaces is sealed before it is used. */
export function contactBookOf(
  needs: ConnectionNeeds,
  connection: SyncConnection,
  integrationId: string | null,
): ContactBook {
  return needs.connectors.contactBook(connection, async (refresh_token) => {
    if (integrationId === null || connection.provider !== "salesforce") return
    const credentials = { ...connection.credentials, refresh_token }
    await needs.integrations.reseal(integrationId, await sealCredentials(needs, integrationId, { credentials }), null)
  })
}

/** Whatever there is to talk to behind a connection; both kinds can be checked. */
export function clientOf(
  needs: ConnectionNeeds,
  connection: Connection,
  integrationId: string | null,
): ContactBook | Messenger {
  return isSender(connection) ? needs.connectors.messenger(connection) : contactBookOf(needs, connection, integrationId)
}

export function isSender(connection: Connection): connection is SendConnection {
  return SEND_PROVIDERS.some((provider) => provider === connection.provider)
}
