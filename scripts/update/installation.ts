import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A state of the code. */
export interface Code {
  /** Of package.json. */
  readonly version: string
  readonly commit: string
  /** The branch, tag or commit of a clone, or the folder of a release. */
  readonly ref: string
}

/** Code to update to. */
export interface Target extends Code {
  /** Reads one of its files. @param path from its root @returns null when it has no such file */
  read(path: string): Promise<string | null>
}

/** What the caller wants to update to. Without both: the newest release tag of a clone. */
export interface Wanted {
  /** A tag, branch or commit. */
  readonly to?: string | undefined
  /** The archive of a release. */
  readonly from?: string | undefined
}

/** Reports each step of a change. */
export type OnStep = (step: string) => void

/** One of the two forms of installation: a git clone, or an unpacked release. */
export interface Installation {
  readonly root: string
  /** The code in use. */
  current(): Promise<Code>
  /** @returns null when the installation has it already @throws Error that says how to name another target */
  findTarget(wanted: Wanted, onStep: OnStep): Promise<Target | null>
  /** Reasons not to switch, and what to do about each. */
  problemsOf(target: Target): Promise<readonly string[]>
  /**
   * Makes code ready to run beside the code in use, which stays as it is: files, packages, build.
   * @returns the folder whose npm commands are those of the code
   */
  prepare(code: Code, onStep: OnStep): Promise<string>
  /** Lets the next start use prepared code. @throws Error after a failure, when the former code is in use as before */
  activate(code: Code): Promise<void>
  /** Removes what `prepare` and `activate` leave behind. */
  cleanUp(): Promise<void>
}

/** "0.2.0 (v0.2.0, 1a2b3c4d5e6f)" */
export function nameOf({ version, commit, ref }: Code): string {
  const short = commit.slice(0, 12)
  return `${version} (${ref === commit || ref === version ? short : `${ref}, ${short}`})`
}

/** The version in the text of a package.json. */
export function versionIn(manifest: string): string {
  return (JSON.parse(manifest) as { version: string }).version
}

/** Reads a file of the running code; empty when it is missing. */
export function readOwn(root: string, path: string): string {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}
