import { z } from "@hono/zod-openapi"

/** An address as the caller wrote it. Any string is taken: whether it is an address is the answer, not a precondition. */
export function email() {
  return z.string().openapi({ example: "alice@mailbox.test", description: "The address to look at, up to 254 octets" })
}

/** A boolean in a query: true or false, 1 or 0, yes or no. */
export function flag(byDefault: boolean, description: string) {
  return z
    .stringbool()
    .default(byDefault)
    .openapi({ type: "boolean", default: byDefault, description, example: byDefault })
}

/** A whole number in a query, written in plain digits. */
export function wholeNumber({ min, max, description }: { min: number; max: number; description: string }) {
  return z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .openapi({ type: "integer", minimum: min, maximum: max, description })
}

/** A required JSON body. */
export function json<T extends z.ZodType>(schema: T) {
  return { required: true, content: { "application/json": { schema } } } as const
}
