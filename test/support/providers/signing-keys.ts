import { importSigningKey, importTrustedKey } from "../../../schema/wire/keys.ts"

/** RFC 9421 Appendix B.1.4, `test-key-ed25519`: the private and public key of its JWK. */
export const RFC_KEY_ID = "test-key-ed25519"
export const RFC_PRIVATE = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"
export const RFC_PUBLIC = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"

/** RFC 8032 §7.1 TEST 1: a second, unrelated pair. */
const OTHER_PRIVATE = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
const OTHER_PUBLIC = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

export const rfcSigningKey = await importSigningKey(`${RFC_KEY_ID}:${RFC_PRIVATE}`)
export const rfcTrustedKey = await importTrustedKey(`${RFC_KEY_ID}:${RFC_PUBLIC}`)
export const otherSigningKey = await importSigningKey(`other:${OTHER_PRIVATE}`)
export const otherTrustedKey = await importTrustedKey(`other:${OTHER_PUBLIC}`)
