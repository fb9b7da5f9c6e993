import type { Config } from "../../env.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock, Log } from "../platform.ts"
import { createAccessTokens } from "./access-token.ts"
import type { ConfiguredDirectory } from "./directory.ts"
import { createGoogleDirectory } from "./google.ts"
import { createMicrosoftDirectory } from "./microsoft.ts"
import { publicNamesOnly } from "./public-names-only.ts"
import { withTags } from "./with-tags.ts"

export interface Directories {
  readonly google: ConfiguredDirectory
  readonly microsoft: ConfiguredDirectory
}

/** The directories with access, or the missing settings of each. */
export function createDirectories(
  { google, microsoft }: Config["directories"],
  deps: { fetch: Fetch; clock: Clock; log: Log },
): Directories {
  const within = { ...deps, tokens: createAccessTokens(deps) }
  return {
    google:
      "missing" in google
        ? { isConfigured: false, missing: google.missing }
        : {
            isConfigured: true,
            directory: withTags(publicNamesOnly(createGoogleDirectory(google, within), google.url), {
              isDelivered: true,
            }),
          },
    microsoft:
      "missing" in microsoft
        ? { isConfigured: false, missing: microsoft.missing }
        : {
            isConfigured: true,
            // Exchange Online delivers tagged mail unless the organization disabled it. Graph hides that setting.
            directory: withTags(publicNamesOnly(createMicrosoftDirectory(microsoft, within), microsoft.url), {
              isDelivered: false,
            }),
          },
  }
}
