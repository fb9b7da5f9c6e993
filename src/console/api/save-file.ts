import { type Problem, RESPONSE_CUT_OFF, send } from "./call.ts"

/** Downloads a response as a file. A plain link cannot send an API key. @returns the problem, or null */
export async function saveFile(
  path: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<Problem | null> {
  const answer = await send(path, { labels })
  if (!answer.ok) return answer.problem
  const file = await answer.body.blob().catch(() => null)
  if (!file) return RESPONSE_CUT_OFF
  const url = URL.createObjectURL(file)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return null
}
