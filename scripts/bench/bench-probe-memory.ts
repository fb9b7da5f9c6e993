import { setTimeout as pause } from "node:timers/promises"
import { build } from "esbuild"
import { generateKeyPair, importSigningKey, type SigningKey } from "../../schema/wire/keys.ts"
import { PROBE_PATH, type ProbeRequest } from "../../schema/wire/probe.ts"
import { signRequest } from "../../schema/wire/signature.ts"
import { type Child, startChild } from "../dev/child.ts"

const SESSIONS = 10_000
const REQUESTS = 2
const GROUPS = 500
/** So slow that all sessions are open at once before the first one ends. */
const TURN_MS = 6_000
const BUNDLE = "dist/bench-probe-node.mjs"
const MB = 1024 * 1024

export const BENCH_PLAYBOOK = {
  pipelining: true,
  starttls: true,
  control: "same-session",
  recipientsPerSession: 100,
  sessionsPerHost: 100,
} as const
export const BENCH_REQUEST = { priority: "interactive" as const, sourceIp: null, avoidSourceIps: [] }

/** @param turnMs time before each answer of the server */
export function startSmtpServer(turnMs: number): Promise<Child> {
  return startChild("server", "scripts/bench/bench-smtp-server.ts", {
    env: { SERVER_TURN_MS: String(turnMs) },
    onLine: (line) => console.error(line),
  })
}

/** Resident memory of one bundled node: idle, and with 10,000 sessions to a slow server. */
export async function benchMemory(print: (what: string, value: string, bar: string) => void): Promise<void> {
  const server = await startSmtpServer(TURN_MS)
  const edge = await generateKeyPair("edge-1")
  const node = await startNode({ smtpPort: server.readyLine, edgeKey: edge.publicKey })
  const url = /http\S+/.exec(node.readyLine)![0]
  try {
    await pause(1_000)
    const idle = (await metrics(url)).rss
    const answers = await probeAll(url, await importSigningKey(edge.signingKey))
    const { rss, active } = await peak(url)
    await Promise.all(answers.map((answer) => answer.body?.cancel()))
    print("resident memory when idle, MB", (idle / MB).toFixed(0), "below 100")
    print(`added by ${active} sessions, MB`, ((rss - idle) / MB).toFixed(0), "below 100")
  } finally {
    await Promise.all([node.stop(), server.stop()])
  }
}

async function startNode({ smtpPort, edgeKey }: { smtpPort: string; edgeKey: string }): Promise<Child> {
  await build({
    entryPoints: [new URL("../../probe-node/main.ts", import.meta.url).pathname],
    outfile: new URL(`../../${BUNDLE}`, import.meta.url).pathname,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  })
  const { signingKey } = await generateKeyPair("node-1")
  return startChild("probe-node", BUNDLE, {
    onLine: (line) => void (line.includes("failed") && console.error(line)),
    env: {
      PROBE_PORT: "0",
      PROBE_HELO: "probe.bench.test",
      PROBE_MAIL_FROM: "probe@bench.test",
      PROBE_ALLOW_PRIVATE: "1",
      PROBE_SMTP_PORT: smtpPort,
      PROBE_CONCURRENCY: "20000",
      PROBE_RATE: "0",
      PROBE_TRUSTED_KEYS: edgeKey,
      PROBE_SIGNING_KEY: signingKey,
    },
  })
}

async function probeAll(url: string, key: SigningKey): Promise<Response[]> {
  const answers: Response[] = []
  for (let at = 0; at < REQUESTS; at++) {
    const unsigned = {
      method: "POST",
      url: url + PROBE_PATH,
      headers: new Headers({ "content-type": "application/json" }),
      body: Uint8Array.from(Buffer.from(JSON.stringify(request(at)))),
    }
    const now = { nowSeconds: Math.floor(Date.now() / 1000), nonce: crypto.randomUUID() }
    const headers = await signRequest(unsigned, key, now)
    answers.push(await fetch(unsigned.url, { method: "POST", headers: [...headers], body: unsigned.body }))
  }
  return answers
}

/** Groups for different operators, one session per recipient. */
function request(at: number): ProbeRequest {
  const perGroup = SESSIONS / REQUESTS / GROUPS
  return {
    ...BENCH_REQUEST,
    requestId: `memory-${at}`,
    deadlineMs: 60_000,
    groups: Array.from({ length: GROUPS }, (_, group) => ({
      mx: [{ host: `127.0.${1 + at}.${1 + (group % 200)}`, preference: 10 }],
      playbook: { ...BENCH_PLAYBOOK, operator: `operator-${at}-${group}`, recipientsPerSession: 1 },
      recipients: Array.from({ length: perGroup }, (_, index) => ({
        index: group * perGroup + index,
        address: `real${index}@domain-${group}.test`,
      })),
      controls: [`q8x1z9k2m4@domain-${group}.test`],
    })),
  }
}

async function peak(url: string): Promise<{ rss: number; active: number }> {
  const top = { rss: 0, active: 0 }
  const until = performance.now() + 3 * TURN_MS
  while (performance.now() < until) {
    const now = await metrics(url)
    top.rss = Math.max(top.rss, now.rss)
    top.active = Math.max(top.active, now.active)
    if (top.active > now.active) return top
    await pause(250)
  }
  return top
}

async function metrics(url: string): Promise<{ rss: number; active: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1] ?? 0)
  return { rss: value("process_resident_memory_bytes"), active: value("probe_sessions_active") }
}
