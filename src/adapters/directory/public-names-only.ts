import { mayLookUp } from "../../domain/dns/hosts.ts"
import type { Directory } from "./directory.ts"

/**
 * Skips the directory for reserved names: no tenant of a public service owns them.
 * @param url base URL of the directory's API
 */
export function publicNamesOnly(directory: Directory, url: string): Directory {
  return {
    async find(address) {
      return mayLookUp(address.domain, url) ? directory.find(address) : { kind: "foreign" }
    },
  }
}
