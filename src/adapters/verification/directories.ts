import { withoutTag } from "../../domain/address/canonical.ts"
import { mayQuery } from "../../domain/dns/hosts.ts"
import { type DirectoryAnswer, existenceOf } from "../../domain/verification/directory.ts"
import type { Config } from "../../env.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock, Log } from "../platform.ts"
import { type ConfiguredDirectory, createAccessTokens, type Directory } from "./directory-api.ts"
import { createGoogleDirectory } from "./google-directory.ts"
import { createMicrosoftDirectory } from "./microsoft-directory.ts"

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
  // No tenant of a public service owns a reserved name.
  const ofPublicNames: Directory = {
    find: async (address) => (mayQuery(address.domain, url) ? found.find(address) : { kind: "foreign" }),
  }
  const directory = withTags(ofPublicNames, { isDelivered: isTagDelivered })
  const existence: Directory = { find: async (address) => existenceOf(await ofPublicNames.find(address)) }
  // Whether a tag is delivered would tell a user from a group.
  const shared = { none: null, existence: withTags(existence, { isDelivered: false }), all: directory }[share]
  return { isConfigured: true, directory, shared }
}

const TAGS_UNKNOWN: DirectoryAnswer = {
  kind: "failure",
  reason: "the directory lists the address without its tag; whether tagged mail is delivered is unknown",
}

/**
 * For a directory that lists no tags: when "anna+news@" is unknown, looks up "anna@".
 * @param isDelivered tagged mail always reaches a user; otherwise an organization may have disabled it.
 * Neither provider documents it for groups and contacts
 */
function withTags(directory: Directory, { isDelivered }: { readonly isDelivered: boolean }): Directory {
  return {
    async find(address) {
      const answer = await directory.find(address)
      const bare = answer.kind === "nobody" ? withoutTag(address) : null
      if (!bare) return answer
      const owner = await directory.find(bare)
      if (owner.kind === "group" || owner.kind === "contact" || owner.kind === "entry") return TAGS_UNKNOWN
      if (owner.kind !== "user") return owner
      return isDelivered || owner.state !== "active" ? { ...owner, isAlias: true } : TAGS_UNKNOWN
    },
  }
}
