import { readFileSync } from "node:fs"
import { DockerfileParser, type Instruction, type ModifiableInstruction } from "dockerfile-ast"

/** One instruction of a Dockerfile. */
export interface Step {
  readonly keyword: string
  readonly flags: ReadonlyMap<string, string>
  /** The rest of the instruction, as a shell reads it. */
  readonly text: string
  /** Its words, or the strings of its JSON form. */
  readonly words: readonly string[]
}

/** The instructions from one FROM to the next. */
export interface Stage {
  readonly image: string
  readonly name: string | null
  readonly steps: readonly Step[]
}

/** Reads the stages of a Dockerfile, in their order. */
export function readStages(path: string): Stage[] {
  const stages: { image: string; name: string | null; steps: Step[] }[] = []
  for (const instruction of DockerfileParser.parse(readFileSync(path, "utf8")).getInstructions()) {
    const step = stepOf(instruction)
    const [image = "", , name = null] = step.words
    if (step.keyword === "FROM") stages.push({ image, name, steps: [] })
    else stages.at(-1)!.steps.push(step)
  }
  return stages
}

function stepOf(instruction: Instruction): Step {
  const flags = "getFlags" in instruction ? (instruction as ModifiableInstruction).getFlags() : []
  const text = instruction.getArgumentsContent() ?? ""
  return {
    keyword: instruction.getKeyword(),
    flags: new Map(flags.map((flag) => [flag.getName(), flag.getValue() ?? ""])),
    text,
    words: text.startsWith("[") ? JSON.parse(text) : text.split(/\s+/),
  }
}
