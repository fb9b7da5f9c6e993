import { generateKeyPairSync, sign } from "node:crypto"

const LAST_DAY = Date.parse("2049-12-31T23:59:59Z")

/**
 * Creates a self-signed certificate, so that the repository contains no private key. X.509 by hand (RFC 5280 §4.1).
 * @param days it is valid from now on, the past included. Without it, until 2049
 */
export function selfSigned(commonName: string, days?: number): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const algorithm = der(0x30, oid("2a8648ce3d040302"))
  const name = der(0x30, der(0x31, der(0x30, oid("550403"), der(0x0c, Buffer.from(commonName)))))
  const last = new Date(days === undefined ? LAST_DAY : Date.now() + days * 86_400_000)
  // UTCTime: YYMMDDHHMMSSZ
  const end = `${last.toISOString().slice(2, 19).replaceAll(/\D/g, "")}Z`
  const validity = der(0x30, der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from(end)))
  const spki = publicKey.export({ type: "spki", format: "der" })
  const tbs = der(0x30, der(0x02, Buffer.of(1)), algorithm, name, validity, name, spki)
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign("sha256", tbs, privateKey)]))
  const body = der(0x30, tbs, algorithm, signature).toString("base64")
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  }
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"))
}

/** One DER element with its length. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), body])
}
