import { readFileSync } from "node:fs"
import { ANY_SENDING_PROVIDER } from "../../../schema/sending-providers.ts"
import { errorTable } from "./errors.ts"

/** A group of operations in the document. Its name is in the routes, its title in the reference. */
export interface Tag {
  readonly name: string
  readonly title: string
  readonly description: string
}

interface TagGroup {
  readonly name: string
  readonly tags: readonly Tag[]
}

/** The groups in the order in which the reference shows them. The guides precede them. */
export const TAG_GROUPS: readonly TagGroup[] = textOf("tags")
  .split(/^# /m)
  .slice(1)
  .map((group) => {
    const [name = "", ...tags] = group.split(/^## /m)
    return { name: name.trim(), tags: tags.map(tagOf) }
  })

/** @param section "name: title", and the description below */
function tagOf(section: string): Tag {
  const [heading = "", ...description] = section.trim().split("\n")
  const [name = "", title = ""] = heading.split(": ")
  return { name, title, description: description.join("\n").replace("{any sending provider}", ANY_SENDING_PROVIDER) }
}

/** The first text of the reference, in Markdown. */
export const INTRODUCTION = textOf("introduction")

/** Guides are groups without operations, so that they are part of the document and of its readers' navigation. */
export const GUIDES: TagGroup = {
  name: "Guides",
  tags: ["Authentication", "Test mode", "Errors", "Limits", "Idempotency", "Lists", "Webhooks"].map((title): Tag => {
    const name = title.toLowerCase().replace(" ", "-")
    return { name: `guide-${name}`, title, description: textOf(name).replace("{error codes}", errorTable) }
  }),
}

function textOf(name: string): string {
  return readFileSync(new URL(`guides/${name}.md`, import.meta.url), "utf8").trim()
}
