/** Settings of a probe node that are secrets, or contain one: a proxy's password, the key of a blocklist. */
export const NODE_SECRETS = ["PROBE_SIGNING_KEY", "PROBE_METRICS_TOKEN", "PROBE_SOCKS5", "PROBE_RBL_ZONES"] as const

/** The setting that names the file of a secret, as Docker secrets and systemd credentials need it. */
export const fileSetting = (name: string): string => `${name}_FILE`

/**
 * Reads the secrets whose setting NAME_FILE names a file. The file's content counts without the line break at its end.
 * An empty setting counts as not set.
 * @param names the settings that are secrets
 * @param read the text of a file; throws when it cannot be read
 * @returns the secrets in files, and problems that name the setting and the file, never the secret
 */
export function readSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  read: (path: string) => string,
) {
  const values: Record<string, string> = {}
  const problems: string[] = []
  for (const name of names) {
    const setting = fileSetting(name)
    const path = env[setting]
    if (!path) continue
    if (env[name]) {
      problems.push(`${name} and ${setting} are both set: remove one of them`)
      continue
    }
    try {
      const value = read(path).replace(/\r?\n$/, "")
      if (value.trim() === "") problems.push(`${setting}: ${path} is empty`)
      else values[name] = value
    } catch (error) {
      // "no such file or directory" of "ENOENT: no such file or directory, open '/run/secrets/x'".
      const reason = (error as Error).message.replace(/^[A-Z0-9]+: /, "").replace(/, [a-z]+( '.*')?$/, "")
      problems.push(`${setting}: cannot read ${path}: ${reason}`)
    }
  }
  return { values, problems }
}
