import type { ValidAddress } from "../../domain/address/parse.ts"
import type { DirectoryAnswer } from "../../domain/verification/directory.ts"

/** A company's directory of mailboxes, with access granted by its administrator. */
export interface Directory {
  /** Never rejects. */
  find(address: ValidAddress): Promise<DirectoryAnswer>
}

/** A directory, or the settings that it lacks. */
export type ConfiguredDirectory =
  | {
      readonly isConfigured: true
      readonly directory: Directory
      /** The part that the operator shares with accounts; null for none. */
      readonly shared: Directory | null
    }
  | { readonly isConfigured: false; readonly missing: readonly string[] }
