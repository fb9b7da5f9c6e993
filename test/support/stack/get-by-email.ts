import { type CallInit, call } from "./api.ts"

export const emailQuery = (email: string, more = "") => `email=${encodeURIComponent(email)}${more}`

/** GET of an endpoint for one address. @param more further parameters, starting with "&" */
export const getByEmail = <T = Record<string, unknown>>(
  path: string,
  email: string,
  { more = "", ...init }: CallInit & { more?: string } = {},
) => call<T>("GET", path, { ...init, at: `${path}?${emailQuery(email, more)}` })
