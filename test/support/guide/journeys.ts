import { stepsOf } from "../stack/guide-steps.ts"
import { type Treatment, treatmentOf } from "./treatments.ts"

/** A reader's way through the guides: the commands of some documents in their order, in one shell and one clean root. */
export interface Journey {
  readonly name: string
  readonly documents: readonly string[]
  /** Whether the reader of this journey follows a section. */
  readonly follows: (heading: string) => boolean
  /** Shell lines before a document: where its reader is. */
  readonly before: Readonly<Record<string, string>>
}

/** A command of a guide, with its place: the number of its block, and its number there. */
export interface GuideCommand {
  readonly document: string
  readonly heading: string
  readonly step: number
  readonly index: number
  readonly command: string
  /** Null: it has no rule. */
  readonly treatment: Treatment | null
}

const INSTALL = "docs/self-hosting.md"
const MAINTAIN = "docs/maintaining.md"
const FORMS = /\b(container|release|clone)\b/gi

/** Whether a heading is for a form, or for each. */
function isFor(form: string, heading: string): boolean {
  const named = heading.match(FORMS)?.map((name) => name.toLowerCase()) ?? []
  return named.length === 0 || named.includes(form)
}

/** A clone of the reader, at the version that is installed. */
const cloned = (folder: string) => `git clone -q "$REPOSITORY" ${folder} && cd ${folder}`

export const JOURNEYS: readonly Journey[] = [
  {
    name: "a release on one machine",
    documents: [
      INSTALL,
      "docs/settings.md",
      "docs/self-hosting-database.md",
      "docs/operating.md",
      "docs/troubleshooting.md",
      MAINTAIN,
    ],
    follows: (heading) => isFor("release", heading),
    before: { [INSTALL]: "make-archives && cd /srv/archives" },
  },
  {
    name: "a clone on one machine",
    documents: [INSTALL, MAINTAIN],
    // What all forms share, the release's reader runs.
    follows: (heading) =>
      /\bclone\b/i.test(heading) || /^(After the install|Change a setting|Back up|Restore)$/.test(heading),
    before: {},
  },
  {
    name: "a container on one machine, but for Docker's commands",
    documents: [INSTALL, MAINTAIN],
    follows: (heading) => /\bcontainer\b/i.test(heading),
    before: { [INSTALL]: "make-archives && cd /srv/archives" },
  },
  {
    name: "a deployment with a probe node",
    documents: ["docs/deploy.md", "probe-node/README.md"],
    follows: () => true,
    before: { "docs/deploy.md": cloned("/root/deployment"), "probe-node/README.md": cloned("/root/node") },
  },
]

/** Every document of the journeys. */
export const GUIDES: readonly string[] = [...new Set(JOURNEYS.flatMap(({ documents }) => documents))]

/** The commands of a document in their order. */
export function commandsIn(document: string): GuideCommand[] {
  return stepsOf(document).flatMap(({ heading, commands }, step) =>
    commands.map((command, index) => {
      return { document, heading, step, index, command, treatment: treatmentOf({ document, heading, command }) }
    }),
  )
}

/** The commands that a journey runs. */
export function commandsOn({ documents, follows }: Journey): GuideCommand[] {
  return documents.flatMap(commandsIn).filter(({ heading, treatment }) => follows(heading) && treatment?.kind === "run")
}
