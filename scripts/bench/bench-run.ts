import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startChild } from "../dev/child.ts"
import { type Stack, type StackOptions, startStack } from "../dev/stack.ts"

/** The line of JSON that the service prints for a bench. */
export interface Service {
  readonly url: string
  readonly adminSecret: string
  /** Process ids by name. */
  readonly pids: Readonly<Record<string, number>>
}

/** A new folder. `using` removes it at the end of its scope. */
export function temporaryFolder(purpose = "bench") {
  return mkdtempDisposableSync(join(tmpdir(), `mailverdict-${purpose}-`))
}

export function reportStep(text: string): void {
  console.error(`... ${text}`)
}

/** Starts the service as `npm start` does, with its sandbox, in this process. */
export function startBenchStack(
  options: Pick<StackOptions, "dataDir" | "settings"> & Partial<StackOptions>,
): Promise<Stack> {
  const silent = () => undefined
  return startStack({ port: 0, sandbox: true, build: true, onLog: silent, onStep: silent, ...options })
}

/** Starts the service in a process of its own. @param env its settings */
export async function startService(env: Record<string, string>) {
  const onLine = (line: string) => console.error(line)
  const child = await startChild("service", "scripts/bench/service.ts", { env, onLine })
  return { child, service: JSON.parse(child.readyLine) as Service }
}

/** Creates an API key. */
export async function createKey(
  { url, adminSecret }: Pick<Service, "url" | "adminSecret">,
  { tier = "enterprise", owner = "bench@mailbox.test" } = {},
): Promise<string> {
  const response = await fetch(`${url}/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-admin-secret": adminSecret },
    body: JSON.stringify({ name: "bench", owner_email: owner, tier }),
  })
  return ((await response.json()) as { api_key: string }).api_key
}

/**
 * Measures every case in each round, in random order: noise of the machine and garbage affect all cases alike. The first
 * round is a warm-up.
 */
export async function measureInRounds<C extends { readonly name: string }, M>(
  cases: readonly C[],
  rounds: number,
  measure: (one: C) => Promise<M>,
): Promise<Map<string, M[]>> {
  const measured = new Map<string, M[]>(cases.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    reportStep(`round ${round} of ${rounds}`)
    const drawn = cases.map((one) => ({ one, at: Math.random() })).sort((a, b) => a.at - b.at)
    for (const { one } of drawn) {
      const result = await measure(one)
      if (round > 0) measured.get(one.name)!.push(result)
    }
  }
  return measured
}

/** Prints rows of figures, each with its name. */
export function printTable(rows: readonly (readonly [name: string, cells: Record<string, string | number>])[]): void {
  const figures = (cells: Record<string, string | number>) =>
    Object.fromEntries(Object.entries(cells).map(([column, value]) => [column, Number(value)]))
  console.table(Object.fromEntries(rows.map(([name, cells]) => [name, figures(cells)])))
}
