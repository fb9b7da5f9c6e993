import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PROJECT } from "../stack/guide-steps.ts"

/**
 * Publishes the project as it is now, committed or not: a repository with the tags of two releases, whose main branch is
 * at the first. The second adds a line to the changelog only, so that an update builds nothing.
 * @param repository a new folder
 */
export function publishProject(repository: string): void {
  mkdirSync(repository)
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: PROJECT, encoding: "utf8" })
  const files = listed.split("\n").filter((path) => path !== "" && existsSync(join(PROJECT, path)))
  const archive = execFileSync("tar", ["-cf", "-", "-T", "-"], {
    cwd: PROJECT,
    input: files.join("\n"),
    maxBuffer: 2 ** 28,
  })
  execFileSync("tar", ["-xf", "-"], { cwd: repository, input: archive })
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: repository })
  git("init", "-q", "-b", "main")
  git("add", "-A")
  git("commit", "-qm", "test: the project as it is")
  git("tag", "v0.1.0")
  git("checkout", "-q", "--detach")
  writeFileSync(join(repository, "CHANGELOG.md"), "# Changelog\n\n## 0.2.0\n\n- **News**: of 0.2.0.\n")
  git("commit", "-qam", "release: 0.2.0")
  git("tag", "v0.2.0")
  git("checkout", "-q", "main")
}
