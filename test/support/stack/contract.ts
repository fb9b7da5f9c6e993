import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

interface Operation {
  readonly responses: Record<string, { content?: Record<string, unknown> }>
}

/** Validates answers against the published document. An answer outside its schema or an undeclared status fails. */
export class Contract {
  readonly paths: Record<string, Record<string, Operation>>
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: { paths: Record<string, Record<string, Operation>> }) {
    this.paths = document.paths
    this.#ajv.addSchema(document, "openapi")
  }

  static async of(baseUrl: string): Promise<Contract> {
    return new Contract(
      (await (await fetch(`${baseUrl}/openapi.json`)).json()) as ConstructorParameters<typeof Contract>[0],
    )
  }

  /** @returns the problem of an answer; null when the document allows it. @param template e.g. "/jobs/{job_id}" */
  problem(method: string, template: string, answer: { status: number; body: unknown }): string | null {
    const key = `${method} ${template} ${answer.status}`
    const operation = this.paths[template]?.[method.toLowerCase()]
    if (!operation) return `${key}: not in the document`
    const response = operation.responses[String(answer.status)]
    if (!response) return `${key}: status not declared`
    if (!response.content?.["application/json"]) return null
    const validate = this.#compiled.get(key) ?? this.#compile(key, method, template, answer.status)
    return validate(answer.body) ? null : `${key}: ${this.#ajv.errorsText(validate.errors)}`
  }

  #compile(key: string, method: string, template: string, status: number): ValidateFunction {
    const steps = [
      "paths",
      template,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      "application/json",
      "schema",
    ]
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")
    const validate = this.#ajv.compile({ $ref: `openapi#/${pointer}` })
    this.#compiled.set(key, validate)
    return validate
  }
}
