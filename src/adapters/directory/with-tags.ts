import { withoutTag } from "../../domain/address/without-tag.ts"
import type { DirectoryAnswer } from "../../domain/verdict/directory.ts"
import type { Directory } from "./directory.ts"

const UNTOLD: DirectoryAnswer = {
  kind: "failure",
  reason: "the directory knows the address without its tag, and does not tell whether tags are delivered",
}

/**
 * A directory that lists no tags: whom it does not know as "anna+news@" is looked for as "anna@".
 * @param isDelivered mail with a tag reaches every user; else an organization may have switched that off. Of groups and
 * contacts neither provider says it
 */
export function withTags(directory: Directory, { isDelivered }: { readonly isDelivered: boolean }): Directory {
  return {
    async find(address) {
      const answer = await directory.find(address)
      const bare = answer.kind === "nobody" ? withoutTag(address) : null
      if (!bare) return answer
      const owner = await directory.find(bare)
      if (owner.kind === "group" || owner.kind === "contact") return UNTOLD
      if (owner.kind !== "user") return owner
      return isDelivered || owner.state !== "active" ? { ...owner, isAlias: true } : UNTOLD
    },
  }
}
