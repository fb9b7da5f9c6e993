import { type CallInit, call } from "./api.ts"

export const emailQuery = (email: string, more = "") => `email=${encodeURIComponent(email)}${more}`

/** GET of an endpoint about an address. @param more further parameters, from "&" on */
export const askAbout = <T = Record<string, unknown>>(
  path: string,
  email: string,
  { more = "", ...init }: CallInit & { more?: string } = {},
) => call<T>("GET", path, { ...init, at: `${path}?${emailQuery(email, more)}` })
