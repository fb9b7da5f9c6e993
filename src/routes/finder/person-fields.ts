import { z } from "@hono/zod-openapi"

/** The given names or the family names of a person, in any script. */
export function personName(description: string, example: string) {
  return z
    .string()
    .trim()
    .max(100)
    .refine((text) => /\p{L}/u.test(text), "must have at least one letter")
    .openapi({ description, example })
}

/** A company's domain, also as a URL or an address. */
export function companyDomain() {
  return z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(2_048)
    .openapi({ description: "A domain, or a URL, an address or a www. host of it", example: "mailbox.test" })
}
