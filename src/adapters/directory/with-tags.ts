import { withoutTag } from "../../domain/address/canonical.ts"
import type { DirectoryAnswer } from "../../domain/verification/directory.ts"
import type { Directory } from "./directory.ts"

const TAGS_UNKNOWN: DirectoryAnswer = {
  kind: "failure",
  reason: "the directory lists the address without its tag; whether tagged mail is delivered is unknown",
}

/**
 * For a directory that lists no tags: when "anna+news@" is unknown, looks up "anna@".
 * @param isDelivered tagged mail always reaches a user; otherwise an organization may have disabled it.
 * Neither provider documents it for groups and contacts
 */
export function withTags(directory: Directory, { isDelivered }: { readonly isDelivered: boolean }): Directory {
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
