import type { SourceMap } from "node:module"

/** The part of a CPU profile (Chrome DevTools protocol, Profiler.Profile) that is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
      readonly columnNumber: number
    }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  /** Microseconds between the samples. */
  readonly timeDeltas: readonly number[]
}

/** Microseconds of each function itself, of each function with its callees, and of each file of the project. */
export interface FunctionTimes {
  readonly self: ReadonlyMap<string, number>
  readonly inclusive: ReadonlyMap<string, number>
  /** Includes libraries and native code that the file calls. */
  readonly file: ReadonlyMap<string, number>
}

const OWN_FILE = /^(?:src|schema|scripts)\//

/** Adds up a profile of the bundle that `maps` belong to. Callees behind an `await` are counted on their own. */
export function functionTimes(
  { nodes, samples, timeDeltas }: CpuProfile,
  maps: ReadonlyMap<string, SourceMap>,
): FunctionTimes {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame, maps)] as const))
  const [self, inclusive, file] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  samples.forEach((sample, index) => {
    const microseconds = timeDeltas[index]!
    const place = places.get(sample)!
    add(self, place.name, microseconds)
    const stack = stackOf(sample, parents).map((id) => places.get(id)!)
    add(file, stack.find((one) => OWN_FILE.test(one.file))?.file ?? stack[0]!.file, microseconds)
    for (const name of new Set(stack.map((one) => one.name))) add(inclusive, name, microseconds)
  })
  return { self, inclusive, file }
}

/** The sampled node and its callers. */
function stackOf(sample: number, parents: ReadonlyMap<number, number>): number[] {
  const stack: number[] = []
  for (let at: number | undefined = sample; at !== undefined; at = parents.get(at)) stack.push(at)
  return stack
}

function placeOf(
  { functionName, url, lineNumber, columnNumber }: CpuProfile["nodes"][number]["callFrame"],
  maps: ReadonlyMap<string, SourceMap>,
) {
  if (url === "") return { name: functionName || "(anonymous)", file: functionName || "(native)" }
  const entry = maps.get(url)?.findEntry(lineNumber, columnNumber)
  if (!entry || !("originalSource" in entry)) return { name: `${functionName} ${url}:${lineNumber}`, file: url }
  const file = entry.originalSource.replace(/^(\.\.\/)+/, "")
  return { name: `${functionName || "(anonymous)"} ${file}:${entry.originalLine + 1}`, file }
}

function add(sums: Map<string, number>, name: string, microseconds: number): void {
  sums.set(name, (sums.get(name) ?? 0) + microseconds)
}
