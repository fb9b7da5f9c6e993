import type { OPERATIONS, Operations } from "../../src/client/operations.ts"

/** The service refused a call. The message is its explanation. */
export class RefusedCall extends Error {
  readonly status: number

  constructor(status: number, detail: unknown) {
    // A 422 lists the fields.
    const fields = Array.isArray(detail) ? detail.map(({ loc, msg }) => `${loc?.at(-1)}: ${msg}`).join("; ") : ""
    super(typeof detail === "string" ? detail : fields || `the service answered ${status}`)
    this.status = status
  }
}

/** No answer of a service arrived. */
export class NoAnswer extends Error {}

interface Operator {
  readonly url: string
  readonly adminSecret: string
}

type Table = typeof OPERATIONS
/**
 * The calls of the operator. Types compare each with the published interface. The generated table itself is not part of
 * a container or a release.
 */
const PLACES = {
  createUser: ["POST", "/admin/users"],
  createUserKey: ["POST", "/admin/users/{account}/keys"],
  createSignInLink: ["POST", "/admin/users/{account}/sign-in-link"],
  upgradeUser: ["POST", "/admin/users/{email}/upgrade"],
  listUsers: ["GET", "/admin/users"],
  getUser: ["GET", "/admin/users/{account}"],
  revokeAnyKey: ["DELETE", "/admin/keys/{key_id}"],
} as const satisfies { readonly [O in keyof Table]?: readonly [method: Table[O][0], path: Table[O][1]] }

type Operation = keyof typeof PLACES
/** Calls one operation. @throws RefusedCall, NoAnswer */
export type OperatorCall = <O extends Operation>(
  operation: O,
  input: Operations[O]["input"],
) => Promise<Operations[O]["answer"]>

const TIMEOUT_MS = 30_000

/** Calls a service with the operator's secret, without repeats. */
export function createOperatorCall({ url, adminSecret }: Operator): OperatorCall {
  return async (operation, input) => {
    const [method, path] = PLACES[operation]
    const { at, rest } = placed(new URL(url), path, input)
    if (method !== "POST") for (const [name, value] of rest) at.searchParams.set(name, String(value))
    const response = await fetch(at, {
      method,
      headers: { "x-admin-secret": adminSecret, "content-type": "application/json" },
      ...(method === "POST" ? { body: JSON.stringify(Object.fromEntries(rest)) } : {}),
      // A redirect would take the secret to another place.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: Error) => {
      throw new NoAnswer(`${url} does not answer`, { cause })
    })
    const answer = await response.json().catch(() => null)
    if (answer === null) throw new NoAnswer(`the server at ${url} is not a Mailverdict service`)
    if (!response.ok) throw new RefusedCall(response.status, (answer as { detail?: unknown }).detail)
    return answer
  }
}

/** Fills the path. @returns the other fields of the input as well */
function placed(base: URL, path: string, input: object): { at: URL; rest: Map<string, unknown> } {
  const rest = new Map<string, unknown>(Object.entries(input))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  return { at: new URL(filled, base), rest }
}
