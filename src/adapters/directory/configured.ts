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
  { googleDirectory, microsoftDirectory }: Config["directories"],
  needs: { fetch: Fetch; clock: Clock; log: Log },
): Directories {
  const tokens = createAccessTokens(needs)
  return {
    google:
      "missing" in googleDirectory
        ? { isConfigured: false, missing: googleDirectory.missing }
        : {
            isConfigured: true,
            directory: withTags(createGoogleDirectory(googleDirectory, { ...needs, tokens }), { isDelivered: true }),
          },
    microsoft:
      "missing" in microsoftDirectory
        ? { isConfigured: false, missing: microsoftDirectory.missing }
        : {
            isConfigured: true,
            // Exchange Online delivers tags unless an organization has turned that off, which Graph does not tell.
            directory: withTags(createMicrosoftDirectory(microsoftDirectory, { ...needs, tokens }), {
              isDelivered: false,
            }),
          },
  }
}
