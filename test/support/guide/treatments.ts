import { existsSync } from "node:fs"

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
      /** Why its code says nothing here. */
      readonly mayFail?: string
    }
  | { readonly kind: "not here"; readonly reason: string }

interface Place {
  readonly document: string
  readonly heading: string
  readonly command: string
}

interface Rule {
  readonly command: RegExp
  readonly document?: RegExp
  readonly heading?: RegExp
  readonly treatment: Treatment
}

const run = (more: Omit<Extract<Treatment, { kind: "run" }>, "kind"> = {}): Treatment => ({ kind: "run", ...more })
const notHere = (reason: string): Treatment => ({ kind: "not here", reason })

const DOCKER = "Docker: test/container starts the image"
const STOP = "systemctl stop mailverdict"
const START = "systemctl start mailverdict"
/** The newest backup of a release or of a clone. Its folder belongs to the service's user, so root lists it. */
const BACKUP = `BACKUP=$(data sh -c 'ls -d "$PWD"/backups/2* | tail -n 1')`
const TOKEN = `curl -sS -X POST https://api.example.com/fleet/tokens -H "X-Admin-Secret: $(cat /run/guide-secrets/ADMIN_SECRET)" | jq -r .token`
const TAG = "TAG=v0.2.0; git config advice.detachedHead false"

/** What cannot run in a root without Docker, registry, cloud accounts and internet. */
const NOT_HERE: readonly Rule[] = [
  { command: /^(\(umask 077; )?docker /, treatment: notHere(DOCKER) },
  {
    command: /^sh \S+update-container\.sh /,
    treatment: notHere("Docker: test/wire/update-container.test.ts runs the script"),
  },
  { command: /^operator /, heading: /\bcontainer\b/, treatment: notHere(DOCKER) },
  { command: /^systemctl start mailverdict-backup$/, heading: /\bcontainer\b/, treatment: notHere(DOCKER) },
  {
    command: /^curl -sS https:\S+\/health$/,
    heading: /\bcontainer\b/,
    treatment: notHere("the service of the container: test/container asks for its health"),
  },
  { command: /^curl -fsSL https:/, treatment: notHere("a download from the internet") },
  { command: /^apt-get /, treatment: notHere("Debian's packages: this root has those of the machine") },
  ...(existsSync("/usr/sbin/nft") || process.env.ROOT_REQUIRED
    ? []
    : [
        { command: /^nft |mailverdict-connections$/, treatment: notHere("nftables, which this machine does not have") },
      ]),
  { command: /^certbot /, treatment: notHere("a certificate of the reader's host name") },
  { command: /\bsystemctl restart nginx$/, treatment: notHere("nginx: test/container/proxies.test.ts runs it") },
  { command: /^systemctl restart caddy$/, treatment: notHere("Caddy: test/container/proxies.test.ts runs it") },
  { command: /^curl .*:8081\//s, treatment: notHere("sqld in Docker: test/sqld has this call") },
  { command: /^HTTPS_PROXY=/, treatment: notHere("a proxy: test/wire/http-proxy.test.ts has one") },
  {
    command: /^npm run deploy -- --dry-run/,
    treatment: notHere("a build of half a minute: test/wire/deploy.test.ts compares its output"),
  },
  { command: /^npx wrangler dev|cdn-cgi/, treatment: notHere("Cloudflare's simulator, which runs until Ctrl+C") },
  { command: /^npx wrangler (login|rollback)/, treatment: notHere("a Cloudflare account and a browser") },
  {
    command: /^npm run -s (backup|update && npm run deploy|update -- --rollback)$/,
    document: /deploy/,
    treatment: notHere("a backup of a server with interactive transactions: test/sqld makes one"),
  },
  { command: /^turso db shell/, treatment: notHere("Turso's shell") },
  {
    command: /^LIBSQL_URL=\S+ .*npm run migrate|\.dev\.vars/,
    treatment: notHere("a database of the reader at port 8080"),
  },
]

/** What needs a word of the guide, a value of the reader, or another code. */
const SPECIAL: readonly Rule[] = [
  { command: /^operator doctor$/, treatment: run({ mayFail: "the root has no public resolvers and no provider" }) },
  { command: /^npm run -s doctor/, treatment: run({ fails: "the root has no public resolvers" }) },
  { command: /^curl -sS https:\S+\/health$/, treatment: run({ until: '"status":"ok"' }) },
  { command: /^sed .*\/Caddyfile > /, treatment: run({ before: "mkdir -p /etc/caddy" }) },
  {
    command: /^sed .*nginx\.conf > /,
    treatment: run({ before: "mkdir -p /etc/nginx/conf.d /etc/nginx/modules-enabled" }),
  },
  {
    command: /^sed -i .*\/etc\/nginx\/nginx\.conf$/,
    treatment: run({ before: "printf 'events {\\n\\tworker_connections 768;\\n}\\n' >/etc/nginx/nginx.conf" }),
  },
  { command: /UPDATE installation SET pepper/, treatment: run({ before: STOP, after: START }) },
  { command: /^operator restore -- "\$BACKUP"$/, treatment: run({ before: BACKUP }) },
  {
    // The other machine: the backup is in another folder, and the data folder does not exist.
    command: /^install -d .*\/var\/lib\/mailverdict\/backups$/,
    treatment: run({
      before: `${BACKUP}; ${STOP}; cp -r "$BACKUP" /root/; BACKUP=/root/$(basename "$BACKUP"); mv /var/lib/mailverdict /root/former`,
    }),
  },
  { command: /^operator restore -- "\/var\/lib/, treatment: run({ after: START }) },
  { command: /^chown -R 1000:1000 "\$BACKUP"$/, treatment: run({ before: "BACKUP=$(mktemp -d)" }) },
  { command: /^git (fetch|checkout) .*"\$TAG"$/, treatment: run({ before: TAG }) },
  {
    command: /update -- --check --from "\$ARCHIVE"/,
    treatment: run({ before: "ARCHIVE=/srv/archives/mailverdict-0.2.0-linux-x64.tar.gz" }),
  },
  {
    command: /^systemctl disable --now mailverdict-(backup\.timer|connections|probe)$/,
    heading: /^Uninstall/,
    treatment: run({ mayFail: "not every reader has installed this unit" }),
  },
  {
    command: /^install -m 0644 mailverdict-probe\.service /,
    treatment: run({ before: "cp ../probe-node/mailverdict-probe.service ." }),
  },
  {
    command: /^node probe-node\.mjs doctor && node probe-node\.mjs$/,
    treatment: run({ fails: "the root has no internet, so the node is unfit and does not start" }),
  },
  {
    command: /^node probe-node\.mjs enrol /,
    treatment: run({ replace: [["node probe-node.mjs", `${TOKEN} | node probe-node.mjs`]] }),
  },
]

/** What runs as it is. */
const AS_IT_IS: readonly Rule[] = [
  {
    command:
      /^(operator|data|admin|curl -sS|node|npm (ci|run)|openssl|printf|turso|npx wrangler|for name in|sha256sum|tar)\b/,
    treatment: run(),
  },
  {
    command:
      /^(useradd|install|sed|sudo|chown|systemctl|journalctl|nft|git|cd|umask|echo|ln|cp|rm|set|userdel|KEY=|BASE=|ADMIN_SECRET=)( |=|\S)/,
    treatment: run(),
  },
  { command: /^\((cd|umask) .*\)$/s, treatment: run() },
  { command: /^[A-Z_]+=\S+$|^[A-Z_]+=\$\(.*\)( && rm \S+)?$/, treatment: run() },
]

/**
 * The treatment of a command, by the first rule that matches. A command without a rule fails the test: decide whether it
 * can run in a root without Docker, registry, cloud accounts and internet. Null: it has no rule.
 */
export function treatmentOf({ document, heading, command }: Place): Treatment | null {
  const rule = [...NOT_HERE, ...SPECIAL, ...AS_IT_IS].find(
    (one) =>
      one.command.test(command) && (one.heading?.test(heading) ?? true) && (one.document?.test(document) ?? true),
  )
  return rule?.treatment ?? null
}
