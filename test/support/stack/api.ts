import { inject } from "vitest"
import { Contract } from "./contract.ts"

export interface Answer<T = Record<string, unknown>> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
  readonly text: string
}

/** A request. `at` is the real path with query when it differs from the template. */
export type CallInit = RequestInit & { readonly at?: string }

let contract: Promise<Contract> | null = null

/** The published document of the running stack, read once. */
export function publishedContract(): Promise<Contract> {
  contract ??= Contract.of(inject("stackUrl"))
  return contract
}

/**
 * Calls the running stack and validates the answer against the published schema.
 * @param template the path in the document; `at` has the query and the values for `{...}`
 */
export async function call<T = Record<string, unknown>>(
  method: string,
  template: string,
  { at = template, ...init }: CallInit = {},
): Promise<Answer<T>> {
  const answer = await callUnchecked<T>(at, { ...init, method })
  const problem = (await publishedContract()).problem(method, template, answer)
  if (problem) throw new Error(`outside the published schema: ${problem}\n${answer.text.slice(0, 500)}`)
  return answer
}

/** Calls the running stack with any request. Parses a JSON body. */
export async function callUnchecked<T = Record<string, unknown>>(
  at: string,
  init: RequestInit = {},
): Promise<Answer<T>> {
  const response = await fetch(`${inject("stackUrl")}${at}`, init)
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson && text !== "" ? JSON.parse(text) : null) as T,
    text,
  }
}

export const postJson = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})
