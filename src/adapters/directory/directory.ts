import type { ValidAddress } from "../../domain/address/parse.ts"
import type { DirectoryAnswer } from "../../domain/verdict/directory.ts"

/** A company's directory of mailboxes, which its administrator gave us access to. */
export interface Directory {
  /** Never rejects. */
  find(address: ValidAddress): Promise<DirectoryAnswer>
}

/** A directory, or the settings that are missing for it. */
export type ConfiguredDirectory =
  | { readonly isConfigured: true; readonly directory: Directory }
  | { readonly isConfigured: false; readonly missing: readonly string[] }
