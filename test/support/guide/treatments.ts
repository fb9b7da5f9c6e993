/** What the test does with a command of a guide. */
export type Treatment =
  | {
      readonly kind: "run"
      /** Names that the reader replaces, by what they are here. */
      readonly replace?: readonly (readonly [name: string, value: string])[]
      /** Shell text before and after it: what the guide says in words. */
      readonly before?: string
      readonly after?: string
      /** Repeat the request until its answer has this text. */
      readonly until?: string
      /** Why it ends with another code than 0. */
      readonly fails?: string
    }
  | { readonly kind: "not here"; readonly reason: string }

interface Rule {
  readonly command: RegExp
  readonly heading?: RegExp
  readonly treatment: Treatment
}

const run = (more: Omit<Extract<Treatment, { kind: "run" }>, "kind"> = {}): Treatment => ({ kind: "run", ...more })
const notHere = (reason: string): Treatment => ({ kind: "not here", reason })

const STOPPED = "systemctl stop mailverdict"
const STARTED = "systemctl start mailverdict; journalctl -u mailverdict -n 1 | tail -n 1"
/** The backups belong to the service's user, so root lists them. */
const LATEST = "$(ls /opt/mailverdict/.data/backups | tail -n 1)"
const TOKEN = `curl -sS -X POST https://api.example.com/fleet/tokens -H "X-Admin-Secret: $(cat /run/guide-secrets/ADMIN_SECRET)" | jq -r .token`

/**
 * The treatment of each command, by the first rule that matches. A command without a rule fails the test: decide whether
 * it can run in a root without Docker, registry, cloud accounts and internet.
 */
const RULES: readonly Rule[] = [
  {
    command: /^(docker|curl https)/,
    heading: /^In a container/,
    treatment: notHere("Docker: test/container starts the image"),
  },
  {
    command: /^(docker|.*&& docker|umask 077 && docker)/s,
    treatment: notHere("Docker: test/container starts the image"),
  },
  { command: /^curl .*:8081\//s, treatment: notHere("sqld in Docker: test/sqld has this call") },
  {
    command: /^npm run (backup|restore) -- rebuild/,
    treatment: notHere("sqld in Docker: test/sqld rebuilds its database"),
  },
  { command: /^systemctl restart caddy/, treatment: notHere("Caddy: test/container/proxies.test.ts runs it") },
  { command: /^HTTPS_PROXY=/, treatment: notHere("a proxy: test/wire/http-proxy.test.ts has one") },
  {
    command: /^npm run deploy -- --dry-run/,
    treatment: notHere("a build of half a minute: test/wire/deploy.test.ts compares its output"),
  },
  { command: /^npx wrangler dev|cdn-cgi/, treatment: notHere("Cloudflare's simulator, which runs until Ctrl+C") },
  { command: /^npx wrangler (login|rollback)/, treatment: notHere("a Cloudflare account and a browser") },
  {
    command: /^LIBSQL_URL=\S+ .*npm run migrate|\.dev\.vars/,
    treatment: notHere("a database of the reader at port 8080"),
  },
  { command: /^git pull$/, heading: /^Upgrade/, treatment: notHere("the clone that Docker builds from") },
  {
    // The guide's reader has a clone of their own there, and this root has the service's.
    command: /^npm run -s backup$/,
    heading: /^Upgrade/,
    treatment: run({ replace: [["npm run", "sudo -u mailverdict npm run"]] }),
  },
  {
    command: /^npm run -s backup -- "before/,
    heading: /^Upgrade/,
    treatment: notHere("a server with interactive transactions: test/sqld backs one up"),
  },
  {
    command: /^node probe-node\.mjs doctor && node probe-node\.mjs$/,
    treatment: run({ fails: "the root has no internet, so the node is unfit and does not start" }),
  },
  {
    command: /^node probe-node\.mjs enrol /,
    treatment: run({ replace: [["node probe-node.mjs", `${TOKEN} | node probe-node.mjs`]] }),
  },
  {
    command: /^curl -sS -X POST https:.*\/drain/,
    treatment: run({ before: "ADMIN_SECRET=$(jq -r .adminSecret /opt/mailverdict/.data/secrets.json)" }),
  },
  { command: /^npm run -s doctor/, treatment: run({ fails: "the root has no public resolvers" }) },
  { command: /^curl -sS \$BASE\/health/, heading: /^In a clone/, treatment: run({ until: '"status":"ok"' }) },
  {
    command: /^sudo .*restore -- \.data\/backups\/FOLDER/,
    treatment: run({
      before: `${STOPPED}; folder=${LATEST}`,
      after: STARTED,
      replace: [
        ["'cd /opt", '"cd /opt'],
        ["FOLDER'", '$folder"'],
      ],
    }),
  },
  {
    command: /^sudo .*restore -- "\$BACKUP"/,
    treatment: run({ before: `BACKUP=.data/backups/${LATEST}` }),
  },
  {
    command:
      /^(curl -sS|npm (ci|run)|openssl|printf|turso|npx (node|wrangler)|node dist\/probe-node\.mjs|for name in)\b/,
    treatment: run(),
  },
  {
    command:
      /^(useradd|install|sed|sudo|chown|systemctl|journalctl|nft|git|cd|umask|cat|mkdir|rm|export|set|userdel) ?/,
    treatment: run(),
  },
  { command: /^[A-Z_]+=\S+$|^[A-Z_]+=\$\(.*\)( && rm \S+)?$/, treatment: run() },
]

/** The treatment of a command; null: it has no rule. */
export function treatmentOf(command: string, heading: string): Treatment | null {
  return RULES.find((rule) => rule.command.test(command) && (rule.heading?.test(heading) ?? true))?.treatment ?? null
}
