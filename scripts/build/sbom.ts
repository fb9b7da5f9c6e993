import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** SPDX expression; "" when the package states none. */
  readonly license: string
  readonly integrity: string
  /** Part of the service, a node or the client. The others only build and test it, or are for other systems than Linux. */
  readonly isRuntime: boolean
  readonly hasInstallScript: boolean
}

interface LockEntry {
  /** The package that is installed under another name. */
  readonly name?: string
  readonly version?: string
  readonly license?: string | { readonly type?: string }
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
  /** The systems that a binary is for. */
  readonly os?: readonly string[]
}

/** Licenses with obligations for operators of the service. Weak copyleft, limited to a library's files, has none. */
const COPYLEFT = /^(A?GPL|SSPL|BUSL|BSL-1\.1|EUPL|OSL|CC-BY-(NC|SA))\b/

/** Every package of the lockfile, sorted by name. @param root the folder of package-lock.json, ending in "/" */
export function lockedPackages(root: string): LockedPackage[] {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
    packages: Record<string, LockEntry>
  }
  const all = Object.entries(packages)
    .filter(([path]) => path.startsWith("node_modules/"))
    .map(([path, entry]) => ({
      name: entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: entry.version ?? "",
      license: licenseOf(entry.license) || installedLicense(`${root}${path}/package.json`),
      integrity: entry.integrity ?? "",
      isRuntime: !(entry.dev || entry.devOptional) && (entry.os ?? ["linux"]).includes("linux"),
      hasInstallScript: entry.hasInstallScript === true,
    }))
    .toSorted(
      (a, b) =>
        a.name.localeCompare(b.name) || a.version.localeCompare(b.version) || Number(b.isRuntime) - Number(a.isRuntime),
    )
  return all.filter(({ name, version }, at) => name !== all[at - 1]?.name || version !== all[at - 1]?.version)
}

/** Whether a license has obligations for operators of the service. "A OR B" leaves the choice. */
export function isCopyleft(license: string): boolean {
  const choices = license.replaceAll(/[()]/g, "").split(" OR ")
  return choices.every((choice) => choice.split(" AND ").some((part) => COPYLEFT.test(part)))
}

/** A software bill of materials (CycloneDX 1.6, ECMA-424). The same lockfile gives the same document. */
export function billOfMaterials(root: string): object {
  const { name, version, license } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Record<string, string>
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name, version, licenses: [{ license: { id: license } }] } },
    components: lockedPackages(root).map(component),
  }
}

function component({ name, version, license, integrity, isRuntime }: LockedPackage): object {
  const [algorithm, digest] = integrity.split(/-(.*)/s)
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    scope: isRuntime ? "required" : "excluded",
    ...(license ? { licenses: [{ expression: license }] } : {}),
    ...(algorithm === "sha512" && digest
      ? { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] }
      : {}),
  }
}

function licenseOf(license: LockEntry["license"]): string {
  return typeof license === "string" ? license : (license?.type ?? "")
}

/** The license in the package itself: the lockfile omits some. Empty when the package is not installed here. */
function installedLicense(file: string): string {
  if (!existsSync(file)) return ""
  return licenseOf((JSON.parse(readFileSync(file, "utf8")) as LockEntry).license)
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  const target = process.argv[2]
  const text = `${JSON.stringify(billOfMaterials(root), null, 2)}\n`
  if (target) writeFileSync(target, text)
  else process.stdout.write(text)
  const packages = lockedPackages(root)
  const count = new Map<string, number>()
  for (const { license } of packages)
    count.set(license || "(none named)", (count.get(license || "(none named)") ?? 0) + 1)
  const lines = [...count].toSorted((a, b) => b[1] - a[1]).map(([license, n]) => `${String(n).padStart(5)}  ${license}`)
  process.stderr.write(
    `${packages.length} packages, ${packages.filter((one) => one.isRuntime).length} of them at run time\n${lines.join("\n")}\n`,
  )
}
