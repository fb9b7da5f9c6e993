import { BROKEN_OFF, type Problem, send } from "./call.ts"

/** Saves an answer as a file; a plain link could not show a key. @returns what went wrong, or null */
export async function saveFile(path: string, name: string): Promise<Problem | null> {
  const answer = await send(path, {})
  if (!answer.ok) return answer.problem
  const file = await answer.body.blob().catch(() => null)
  if (!file) return BROKEN_OFF
  const url = URL.createObjectURL(file)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return null
}
