import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { capsOf, DEFAULT_CAPS } from "../../../scripts/dev/connection-caps.ts"
import { readCompose } from "../../support/container/compose.ts"
import { readStages } from "../../support/container/dockerfile.ts"

const project = fileURLToPath(new URL("../../..", import.meta.url))
const files = `${project}scripts/self-hosting/`
const SERVICE = `${files}mailverdict.service`
const read = (path: string) => readFileSync(path, "utf8")
const manifest = JSON.parse(read(`${project}package.json`)) as {
  scripts: { start: string }
  devDependencies: Record<string, string>
}

describe("the Dockerfile", () => {
  const stages = readStages(`${files}Dockerfile`)
  const [, image] = stages
  const last = (keyword: string) => image!.steps.findLast((step) => step.keyword === keyword)

  test("starts from the pinned Node", () => {
    const pinned = `node:${manifest.devDependencies.node}-bookworm-slim`
    expect(stages.map((stage) => stage.image)).toEqual([pinned, pinned])
  })

  test("runs the command of npm start, without the superuser's rights, and reports its health", () => {
    expect(last("ENTRYPOINT")!.words.join(" ")).toBe(`tini -- ${manifest.scripts.start.replace("exec ", "")}`)
    expect(last("USER")!.text).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(last("HEALTHCHECK")!.words.slice(0, 2).join(" ")).toBe('CMD ["node",')
  })

  test("copies only what its .dockerignore lets in, without settings", () => {
    const lines = read(`${files}Dockerfile.dockerignore`).trim().split("\n")
    const allowed = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1))
    const copies = stages[0]!.steps.filter(({ keyword }) => keyword === "COPY")
    expect(copies.flatMap(({ words }) => words.slice(0, -1)).toSorted()).toEqual(allowed.toSorted())
    expect(lines[0]).toBe("*")
    expect(lines).toContain("**/.env")
  })
})

describe("the compose file", () => {
  const settings = { API_HOST: "api.example.com", PROBE_HELO: "probe1.example.com", PROBE_MAIL_FROM: "p@example.com" }
  const path = `${files}compose.yaml`
  const { services, volumes } = readCompose(path, settings)

  test.each(Object.keys(settings))("needs %s", (name) => {
    expect(() => readCompose(path, { ...settings, [name]: "" })).toThrow(`${name}: set it in scripts/self-hosting/.env`)
  })

  test("gives each service a read-only root and no rights, but Caddy low ports", () => {
    expect(Object.keys(services)).toEqual(["api", "caddy"])
    for (const service of Object.values(services))
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        restart: "unless-stopped",
      })
    expect(Object.values(services).map(({ cap_add }) => cap_add)).toEqual([[], ["NET_BIND_SERVICE"]])
  })

  test("has one volume, which the image of the service fills", () => {
    expect(Object.keys(volumes)).toEqual(["data"])
    const mounts = Object.values(services).map((one) => one.volumes.filter(({ source }) => source === "data"))
    expect(mounts).toMatchObject([
      [{ target: "/data", volume: { nocopy: false } }],
      [{ target: "/data", volume: { nocopy: true } }],
    ])
  })

  test("opens no port of the service: Caddy alone is reachable, and starts after it", () => {
    expect(services.api!.environment).not.toHaveProperty("HOST")
    for (const service of Object.values(services)) expect(service).not.toHaveProperty("ports")
    expect(services.caddy).toMatchObject({ depends_on: { api: { condition: "service_healthy" } } })
    expect(read(`${files}Caddyfile`)).toContain("reverse_proxy 127.0.0.1:{$PORT:8787}")
  })

  test("git ignores its settings", () => {
    const ignored = execFileSync("git", ["check-ignore", "scripts/self-hosting/.env"], {
      cwd: project,
      encoding: "utf8",
    })
    expect(ignored.trim()).toBe("scripts/self-hosting/.env")
  })
})

test("the container and the unit allow the files that the default caps need", () => {
  const limits = [/nofile: (\d+)/.exec(read(`${files}compose.yaml`)), /^LimitNOFILE=(\d+)/m.exec(read(SERVICE))]
  for (const limit of limits) expect(capsOf({}, Number(limit![1]))).toEqual(DEFAULT_CAPS)
})

test("the guide installs the unit from its file", () => {
  const guide = read(`${project}docs/self-hosting.md`)
  expect(guide).toContain("install -m 0644 scripts/self-hosting/mailverdict.service /etc/systemd/system/")
  expect(guide).not.toContain("[Service]")
  const unit = read(SERVICE)
  for (const [, folder] of unit.matchAll(/^(?:WorkingDirectory|ReadWritePaths)=(.*)$/gm))
    expect(guide).toContain(folder!)
})
