import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { AwsClient } from "aws4fetch"

/** S3 takes at most 10,000 parts, each but the last of at least 5 MiB. */
const [LEAST_PART, MOST_PARTS] = [8 * 2 ** 20, 9_000]
/** Attempts after a 5xx or a 429, within about two seconds. */
const RETRIES = 5

interface Call {
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
}

/**
 * A bucket of S3, or of a service that speaks its protocol (AWS_ENDPOINT_URL). Keys have no leading slash.
 * @throws Error that names the missing settings
 */
export function openBucket(name: string, settings: Readonly<Record<string, string | undefined>>) {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = settings
  if (!accessKeyId || !secretAccessKey)
    throw new Error("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: an s3:// place needs them")
  const region = settings.AWS_REGION || "us-east-1"
  const session = AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: RETRIES, ...session })
  const base = bucketUrl(name, region, settings.AWS_ENDPOINT_URL)

  async function call(method: string, { key = "", query = {}, body = "" }: Call): Promise<Response> {
    const url = new URL(`${base}/${key.split("/").map(encodeURIComponent).join("/")}`)
    for (const [field, value] of Object.entries(query)) url.searchParams.set(field, value)
    const headers = { "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") }
    const answer = await client
      .fetch(url.href, { method, headers, ...(body === "" ? {} : { body }) })
      .catch((error: Error) => {
        const { message } = (error.cause as Error | undefined) ?? error
        throw new Error(`s3://${name} does not answer at ${url.host}: ${message}`, { cause: error })
      })
    if (answer.ok) return answer
    const text = await answer.text()
    const reason = [/<Code>(.*?)<\/Code>/s.exec(text)?.[1], /<Message>(.*?)<\/Message>/s.exec(text)?.[1]]
    const what = `${method} of ${key || "the list"} (${answer.status} ${reason.filter(Boolean).join(": ")})`
    throw new Error(`s3://${name} refuses ${what}: check the bucket, AWS_REGION, the key and its rights`)
  }

  async function uploadParts(
    key: string,
    { file, size, partSize }: { file: FileHandle; size: number; partSize: number },
  ) {
    const started = await (await call("POST", { key, query: { uploads: "" } })).text()
    const uploadId = /<UploadId>(.*?)<\/UploadId>/s.exec(started)?.[1]
    if (!uploadId) throw new Error(`s3://${name} gives no id for the upload of ${key}`)
    try {
      const parts: string[] = []
      for (let at = 0; at < size; at += partSize) {
        const body = await readPart(file, at, Math.min(partSize, size - at))
        const query = { partNumber: String(parts.length + 1), uploadId }
        const etag = (await call("PUT", { key, query, body })).headers.get("etag")
        parts.push(`<Part><PartNumber>${parts.length + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
      }
      const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`
      const ended = await (await call("POST", { key, query: { uploadId }, body })).text()
      // S3 may answer 200 before it knows, and report the failure in the body.
      if (ended.includes("<Error>"))
        throw new Error(`s3://${name} cannot complete the upload of ${key}: ${ended.slice(0, 200)}`)
    } catch (error) {
      await call("DELETE", { key, query: { uploadId } }).catch(() => undefined)
      throw error
    }
  }

  return {
    /** Keys that begin with the prefix. */
    async list(prefix: string): Promise<string[]> {
      const keys: string[] = []
      let more: Record<string, string> = {}
      for (;;) {
        const query = { "list-type": "2", "encoding-type": "url", prefix, ...more }
        const text = await (await call("GET", { query })).text()
        for (const [, key = ""] of text.matchAll(/<Key>(.*?)<\/Key>/gs))
          keys.push(decodeURIComponent(key.replaceAll("+", " ")))
        const token = /<NextContinuationToken>(.*?)<\/NextContinuationToken>/s.exec(text)?.[1]
        if (!token) return keys
        more = { "continuation-token": token }
      }
    },
    /** Writes a file. Other readers see it when it is complete. @param partSize bytes, for tests */
    async upload(key: string, path: string, partSize?: number): Promise<void> {
      const file = await open(path)
      try {
        const { size } = await file.stat()
        const chosen = partSize ?? Math.max(LEAST_PART, Math.ceil(size / MOST_PARTS))
        if (size <= chosen) await call("PUT", { key, body: await readPart(file, 0, size) })
        else await uploadParts(key, { file, size, partSize: chosen })
      } finally {
        await file.close()
      }
    },
    async download(key: string, path: string): Promise<void> {
      const { body } = await call("GET", { key })
      const bytes = body ? Readable.fromWeb(body as never) : Readable.from([])
      await pipeline(bytes, createWriteStream(path, { mode: 0o600 }))
    },
    /** Reads a short text. */
    read: async (key: string) => (await call("GET", { key })).text(),
    async write(key: string, text: string): Promise<void> {
      await call("PUT", { key, body: text })
    },
    async remove(key: string): Promise<void> {
      await call("DELETE", { key })
    },
  }
}

/** Amazon's buckets have host names. Other services, and names with dots, get the bucket in the path. */
function bucketUrl(name: string, region: string, endpoint: string | undefined): string {
  if (endpoint) return `${endpoint.replace(/\/+$/, "")}/${name}`
  const host = `s3.${region}.amazonaws.com`
  return name.includes(".") ? `https://${host}/${name}` : `https://${name}.${host}`
}

async function readPart(file: FileHandle, at: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(size)
  let read = 0
  while (read < size) {
    const { bytesRead } = await file.read(part, read, size - read, at + read)
    if (bytesRead === 0) throw new Error("the file has become shorter during the upload")
    read += bytesRead
  }
  return part
}
