import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { capsOf, DEFAULT_CAPS } from "../../../scripts/dev/connection-caps.ts"
import { SettingsError } from "../../../scripts/dev/settings.ts"
import { readCompose } from "../../support/container/compose.ts"
import { readStages } from "../../support/container/dockerfile.ts"
import { readDockerignore } from "../../support/container/image.ts"

const project = fileURLToPath(new URL("../../..", import.meta.url))
const files = `${project}scripts/self-hosting/`
const SERVICE = `${files}mailverdict.service`
const read = (path: string) => readFileSync(path, "utf8")
const manifest = JSON.parse(read(`${project}package.json`)) as {
  scripts: { start: string }
  dependencies: Record<string, string>
}

describe("the Dockerfile", () => {
  const stages = readStages(`${files}Dockerfile`)
  const [, image] = stages
  const last = (keyword: string) => image!.steps.findLast((step) => step.keyword === keyword)

  test("starts from the pinned Node", () => {
    const pinned = `node:${manifest.dependencies.node}-bookworm-slim`
    expect(stages.map((stage) => stage.image)).toEqual([pinned, pinned])
  })

  test("runs the command of npm start, without the superuser's rights, and reports its health", () => {
    expect(last("ENTRYPOINT")!.words.join(" ")).toBe(`tini -- ${manifest.scripts.start.replace("exec ", "")}`)
    expect(last("USER")!.text).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(last("HEALTHCHECK")!.words.slice(0, 2).join(" ")).toBe('CMD ["node",')
  })

  test("holds the content of a release", () => {
    expect(stages[0]!.steps.at(-1)!.text).toContain("node scripts/build/release.ts --folder /release")
    const copies = image!.steps.filter(({ keyword }) => keyword === "COPY")
    expect(copies.map(({ words }) => words)).toEqual([["/release", "/app"]])
  })

  test("is built from what its .dockerignore lets in, without settings", () => {
    const lines = read(`${files}Dockerfile.dockerignore`).trim().split("\n")
    const letIn = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1))
    expect(letIn.filter((path) => !existsSync(`${project}${path}`))).toEqual([])
    const isLetIn = readDockerignore(`${files}Dockerfile.dockerignore`)
    const paths = ["src/index.ts", ".env.example", "scripts/self-hosting/health-check.ts"]
    // The guide's folder holds the operator's settings and secrets, with names of their choice.
    const own = [".env", "src/.env", "docs/production.env", "scripts/self-hosting/admin_secret", "node_modules/x/y.js"]
    expect([...paths, ...own].filter(isLetIn)).toEqual(paths)
  })
})

describe("the compose file", () => {
  const settings = { API_HOST: "api.example.com", PROBE_MAIL_FROM: "p@example.com" }
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

const UNIT = read(SERVICE)
const CLONE = read(`${files}mailverdict-clone.conf`)
const guide = read(`${project}docs/self-hosting.md`)

test("the guide installs the unit and its drop-in from their files, and creates the folders that they name", () => {
  expect(guide).not.toContain("[Service]")
  for (const name of ["mailverdict.service", "mailverdict-clone.conf"])
    expect(guide).toMatch(new RegExp(`install (-D )?-m 0644 scripts/self-hosting/${name}`))
  for (const [, folder] of `${UNIT}${CLONE}`.matchAll(/^(?:WorkingDirectory|ReadWritePaths|EnvironmentFile)=(.+)$/gm))
    expect(guide).toContain(folder!)
})

test("the unit runs the command of npm start, and neither installs nor builds", () => {
  const command = manifest.scripts.start.replace("exec node ", "")
  const programs = [...`${UNIT}${CLONE}`.matchAll(/^ExecStart=(.+)$/gm)].map(([, line]) => line!)
  expect(programs).toHaveLength(2)
  for (const line of programs) expect(line).toMatch(/^\S+( node)?( -r \S+)? --max-semi/)
  for (const line of programs) expect(line.endsWith(command)).toBe(true)
})

test("the unit waits between starts, gives up at last, and at once for wrong settings", () => {
  expect(UNIT).toMatch(/^RestartSec=\d+$/m)
  expect(UNIT).toMatch(/^StartLimitIntervalSec=\w+\nStartLimitBurst=\d+$/m)
  expect(UNIT).toContain(`RestartPreventExitStatus=${new SettingsError().exitCode}\n`)
})
