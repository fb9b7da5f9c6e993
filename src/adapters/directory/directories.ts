import type { Config } from "../../env.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock, Log } from "../platform.ts"
import { createAccessTokens } from "./access-token.ts"
import type { ConfiguredDirectory } from "./directory.ts"
import { createGoogleDirectory } from "./google.ts"
import { createMicrosoftDirectory } from "./microsoft.ts"
import { withTags } from "./with-tags.ts"

export interface Directories {
  readonly google: ConfiguredDirectory
  readonly microsoft: ConfiguredDirectory
}

/** The directories this service was given access to, each with what is missing for it when it was not. */
export function createDirectories(
  { google, microsoft }: Config["directories"],
  needs: { fetch: Fetch; clock: Clock; log: Log },
): Directories {
  const within = { ...needs, tokens: createAccessTokens(needs) }
  return {
    google:
      "missing" in google
        ? { isConfigured: false, missing: google.missing }
        : { isConfigured: true, directory: withTags(createGoogleDirectory(google, within), { isDelivered: true }) },
    microsoft:
      "missing" in microsoft
        ? { isConfigured: false, missing: microsoft.missing }
        : {
            isConfigured: true,
            // Exchange Online delivers tags unless an organization has turned that off, which Graph does not tell.
            directory: withTags(createMicrosoftDirectory(microsoft, within), { isDelivered: false }),
          },
  }
}
