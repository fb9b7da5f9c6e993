import { existenceOf } from "../../domain/verification/directory.ts"
import type { Config } from "../../env.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock, Log } from "../platform.ts"
import { createAccessTokens } from "./access-token.ts"
import type { ConfiguredDirectory, Directory } from "./directory.ts"
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
  { google, microsoft, share }: Config["directories"],
  deps: { fetch: Fetch; clock: Clock; log: Log },
): Directories {
  const within = { ...deps, tokens: createAccessTokens(deps) }
  return {
    google:
      "missing" in google
        ? { isConfigured: false, missing: google.missing }
        : configured(createGoogleDirectory(google, within), { url: google.url, isTagDelivered: true, share }),
    microsoft:
      "missing" in microsoft
        ? { isConfigured: false, missing: microsoft.missing }
        : // Exchange Online delivers tagged mail unless the organization disabled it. Graph hides that setting.
          configured(createMicrosoftDirectory(microsoft, within), { url: microsoft.url, isTagDelivered: false, share }),
  }
}

function configured(
  found: Directory,
  { url, isTagDelivered, share }: { url: string; isTagDelivered: boolean; share: Config["directories"]["share"] },
): ConfiguredDirectory {
  const ofPublicNames = publicNamesOnly(found, url)
  const directory = withTags(ofPublicNames, { isDelivered: isTagDelivered })
  const existence: Directory = { find: async (address) => existenceOf(await ofPublicNames.find(address)) }
  // Whether a tag is delivered would tell a user from a group.
  const shared = { none: null, existence: withTags(existence, { isDelivered: false }), all: directory }[share]
  return { isConfigured: true, directory, shared }
}
