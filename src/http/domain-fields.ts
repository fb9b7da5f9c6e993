import { z } from "@hono/zod-openapi"
import { MX_KINDS } from "../domain/verification/evidence.ts"

/** Fields of an answer about a domain, with one meaning in every endpoint. */
export const mxValid = z.boolean().openapi({
  description:
    "The domain has a mail host with an address: by MX records, or its own address when it has none (RFC 5321)",
})

export const tldExists = z
  .boolean()
  .nullable()
  .openapi({
    description:
      "The top-level domain is in the DNS root, by a list of the service. Null for a malformed address, and for a " +
      "reserved name such as test. It does not decide the status: DNS does",
  })

export const mxKind = z
  .enum(MX_KINDS)
  .nullable()
  .openapi({
    description:
      "`implicit_mx`: no MX record, mail goes to the domain's own address. `null_mx`: the domain declares that it " +
      "accepts no mail. `none`: no mail host. Null when DNS gave no answer",
  })
