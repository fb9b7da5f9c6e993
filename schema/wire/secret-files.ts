/** Settings of a probe node that are secrets, or contain one: a proxy's password, the key of a blocklist. */
export const NODE_SECRETS = ["PROBE_SIGNING_KEY", "PROBE_METRICS_TOKEN", "PROBE_SOCKS5", "PROBE_RBL_ZONES"] as const

type Env = Readonly<Record<string, string | undefined>>

export interface SecretFiles {
  /** The secrets that stand in files, by the name of their setting. */
  readonly values: Readonly<Record<string, string>>
  /** Each problem names the setting and the file, never the secret. */
  readonly problems: readonly string[]
}

/** The setting that names the file of a secret, as Docker secrets and systemd credentials need it. */
export const fileSetting = (name: string): string => `${name}_FILE`

/**
 * Reads the secrets whose setting NAME_FILE names a file. The file's content counts without the line break at its end.
 * An empty setting counts as not set.
 * @param names the settings that are secrets
 * @param read the text of a file; throws when it cannot be read
 */
export function readSecretFiles(env: Env, names: readonly string[], read: (path: string) => string): SecretFiles {
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
      problems.push(`${setting}: cannot read ${path}: ${reasonOf(error as Error)}`)
    }
  }
  return { values, problems }
}

/** "no such file or directory" of "ENOENT: no such file or directory, open '/run/secrets/x'". */
function reasonOf({ message }: Error): string {
  return message.replace(/^[A-Z0-9]+: /, "").replace(/, [a-z]+( '.*')?$/, "")
}
