import type { Job } from "../../api/shapes.ts"

const START = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" })

/** The name of a list: of its file, or "List of Nov 26, 4:28 PM" for a list that came without one. */
export const listName = ({ file_name, submitted_at }: Pick<Job, "file_name" | "submitted_at">): string =>
  file_name ?? `List of ${START.format(new Date(submitted_at))}`
