import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const REGION = "eu-central-1"
const KEYS = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }
/** S3 lists at most 1,000 keys a page. */
const PAGE = 2

export interface S3Server {
  /** The settings that reach it. */
  readonly settings: Readonly<Record<string, string>>
  /** Content by "bucket/key". */
  readonly objects: Map<string, Buffer>
  /** Uploads in parts that have neither been completed nor ended. */
  readonly openUploads: () => number
  /** Answers 403 to each request that this matches, such as "PUT bucket/key". */
  refuse: RegExp | null
  stop(): Promise<void>
}

/**
 * A stand-in of S3's REST API: objects, lists (version 2, pages of two keys) and uploads in parts. It checks the
 * signature (version 4) and the hash of each body, as published by AWS, and answers 403 otherwise.
 */
export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const state: { refuse: RegExp | null } = { refuse: null }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const url = new URL(request.url!, "http://s3")
    const path = decodeURIComponent(url.pathname.slice(1))
    const problem = signatureProblem(request, url, body)
    if (problem) return fail(response, 403, "SignatureDoesNotMatch", problem)
    if (state.refuse?.test(`${request.method} ${path}`)) return fail(response, 403, "AccessDenied", "Access Denied")
    answer({ request, response, url, path, body, objects, uploads })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    settings: { ...KEYS, AWS_REGION: REGION, AWS_ENDPOINT_URL: endpoint },
    objects,
    openUploads: () => uploads.size,
    get refuse() {
      return state.refuse
    },
    set refuse(pattern) {
      state.refuse = pattern
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly path: string
  readonly body: Buffer
  readonly objects: Map<string, Buffer>
  readonly uploads: Map<string, Map<number, Buffer>>
}

function answer({ request, response, url, path, body, objects, uploads }: Exchange): unknown {
  const query = url.searchParams
  const uploadId = query.get("uploadId")
  const parts = uploadId === null ? undefined : uploads.get(uploadId)
  if (uploadId !== null && !parts) return fail(response, 404, "NoSuchUpload", uploadId)
  switch (request.method) {
    case "GET":
      if (query.get("list-type") === "2") return list(response, { bucket: path.replace(/\/$/, ""), query, objects })
      return objects.has(path) ? response.end(objects.get(path)) : fail(response, 404, "NoSuchKey", path)
    case "PUT":
      if (parts) parts.set(Number(query.get("partNumber")), body)
      else objects.set(path, body)
      return response.writeHead(200, { etag: etagOf(body) }).end()
    case "POST":
      if (parts)
        return complete(response, {
          parts,
          body,
          end: (whole) => objects.set(path, whole) && uploads.delete(uploadId!),
        })
      uploads.set(`u${uploads.size + 1}`, new Map())
      return response.end(`<R><UploadId>u${uploads.size}</UploadId></R>`)
    default:
      if (parts) uploads.delete(uploadId!)
      else objects.delete(path)
      return response.writeHead(204).end()
  }
}

function list(
  response: ServerResponse,
  { bucket, query, objects }: { bucket: string; query: URLSearchParams; objects: Map<string, Buffer> },
): void {
  const start = `${bucket}/${query.get("prefix")}`
  const after = query.get("continuation-token") ?? ""
  const keys = [...objects.keys()].filter((key) => key.startsWith(start) && key > after).toSorted()
  const page = keys.slice(0, PAGE)
  const more = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ""
  const contents = page.map(
    (key) => `<Contents><Key>${encodeURIComponent(key.slice(bucket.length + 1))}</Key></Contents>`,
  )
  response.end(`<ListBucketResult>${contents.join("")}${more}</ListBucketResult>`)
}

function complete(
  response: ServerResponse,
  { parts, body, end }: { parts: Map<number, Buffer>; body: Buffer; end: (whole: Buffer) => unknown },
): void {
  const named = [...String(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)]
  const isWhole = named.every(([, number, etag]) => etag === etagOf(parts.get(Number(number)) ?? Buffer.of()))
  // S3 reports this failure with the status 200.
  if (!isWhole || named.length !== parts.size) return void response.end("<Error><Code>InvalidPart</Code></Error>")
  end(Buffer.concat(named.map(([, number]) => parts.get(Number(number))!)))
  response.end("<CompleteMultipartUploadResult/>")
}

const etagOf = (body: Buffer) => `"${createHash("md5").update(body).digest("hex")}"`
const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex")
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
}

/** "Signature Version 4 signing process" of AWS. @returns null when the request is signed by the key */
function signatureProblem(request: IncomingMessage, url: URL, body: Buffer): string | null {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, id, day = "", region, names = "", signature] = form.exec(request.headers.authorization ?? "") ?? []
  if (id !== KEYS.AWS_ACCESS_KEY_ID || region !== REGION) return "another key or region"
  const hash = String(request.headers["x-amz-content-sha256"])
  if (hash !== sha256(body)) return "the hash of the body differs"
  const at = String(request.headers["x-amz-date"])
  if (!at.startsWith(day)) return "another day"
  const signed = names.split(";")
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => signed.includes(name)))
    return "a header is not signed"
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const search = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join("&")
  const canonical = [
    ...[request.method, decodeURIComponent(url.pathname).split("/").map(encoded).join("/"), search],
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim().replaceAll(/\s+/g, " ")}`),
    ...["", names, hash],
  ].join("\n")
  const scope = `${day}/${REGION}/s3/aws4_request`
  const key = [REGION, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${KEYS.AWS_SECRET_ACCESS_KEY}`, day))
  const expected = hmac(key, ["AWS4-HMAC-SHA256", at, scope, sha256(canonical)].join("\n")).toString("hex")
  return signature === expected ? null : "the signature differs"
}
