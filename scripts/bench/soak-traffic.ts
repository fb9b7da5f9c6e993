import type { HttpClient, Traffic } from "./http-client.ts"

export const FAST = "/validate/fast, known"
const KNOWN = 2_000
/** The number of numbered domains in the sandbox. */
const DOMAINS = 2_000

interface TrafficOptions {
  readonly key: string
  readonly webhookUrl: string
  readonly onStep: (step: string) => void
}

/**
 * The mix of calls. Prepares the first kind: verifies its addresses, and reads each once, which fills the edge's cache.
 */
export async function soakTraffic(client: HttpClient, { key, webhookUrl, onStep }: TrafficOptions): Promise<Traffic[]> {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const get = async (path: string) => (await client.call({ method: "GET", path, headers })).status
  const post = (path: string, body: unknown) => client.call({ method: "POST", path, headers, body })
  let next = 1_000_000
  const fresh = () => addressAt(next++)
  const known = () => addressAt(Math.floor(Math.random() * KNOWN))
  const list = () => Array.from({ length: 50 }, fresh)
  const jobs: string[] = []

  onStep("verifying the known addresses")
  for (let at = 0; at < KNOWN; at += 250) {
    const emails = Array.from({ length: 250 }, (_, n) => addressAt(at + n))
    await post("/validate/bulk/turbo", { emails })
    for (const email of emails) await get(`/validate/fast?email=${email}`)
  }
  return [
    { name: FAST, weight: 800, expect: [200], call: () => get(`/validate/fast?email=${known()}`) },
    { name: "/validate/fast, unknown", weight: 60, expect: [404], call: () => get(`/validate/fast?email=${fresh()}`) },
    { name: "/validate/quick", weight: 60, expect: [200], call: () => get(`/validate/quick?email=${fresh()}`) },
    { name: "/validate", weight: 40, expect: [200], call: () => get(`/validate?email=${fresh()}`) },
    {
      name: "/validate/bulk/turbo, 50",
      weight: 2,
      expect: [200],
      call: async () => (await post("/validate/bulk/turbo", { emails: list() })).status,
    },
    {
      name: "/validate/bulk/async, 50, webhook",
      weight: 2,
      expect: [200],
      async call() {
        const { status, body } = await post("/validate/bulk/async", { emails: list(), webhook_url: webhookUrl })
        if (status === 200) jobs.push((JSON.parse(body) as { job_id: string }).job_id)
        return status
      },
    },
    {
      name: "/jobs/{job_id}",
      weight: 40,
      expect: [200],
      call: () => get(jobs.length > 0 ? `/jobs/${oneOfTheLast(jobs, 5)}?limit=1` : "/usage"),
    },
  ]
}

function addressAt(n: number): string {
  return `user${n}@d${String(n % DOMAINS).padStart(4, "0")}.test`
}

function oneOfTheLast(jobs: readonly string[], count: number): string {
  return jobs.at(-1 - Math.floor(Math.random() * Math.min(count, jobs.length)))!
}
