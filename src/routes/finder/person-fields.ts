import { z } from "@hono/zod-openapi"

/** Half of a person's name, in any script. */
export function personName(description: string, example: string) {
  return z
    .string()
    .trim()
    .max(100)
    .refine((text) => /\p{L}/u.test(text), "must have at least one letter")
    .openapi({ description, example })
}

/** A company's domain as people give it. */
export function companyDomain() {
  return z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(2_048)
    .openapi({ description: "A domain; of a URL, an address or a www. host its domain", example: "mailbox.test" })
}
