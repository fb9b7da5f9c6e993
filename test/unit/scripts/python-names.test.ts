import { expect, test } from "vitest"
import { checkClasses, reserveNames } from "../../../scripts/build/python-names.ts"

const text = { type: "string" }
const object = (properties: Record<string, object>) => ({ type: "object", properties })

test("a nested object with the name of a component gets a name of its own", () => {
  const definitions = {
    Health: object({ status: text }),
    Report: object({ health: object({ score: text }), healths: { type: "array", items: object({ grade: text }) } }),
    Other: object({ about: object({ health: { ...object({ at: text }), type: ["object", "null"] } }), summary: text }),
  }
  expect(reserveNames(definitions)).toEqual({
    Health: definitions.Health,
    Report: object({
      health: { $ref: "#/components/schemas/ReportHealth" },
      healths: { type: "array", items: { $ref: "#/components/schemas/ReportHealths" } },
    }),
    Other: object({
      about: object({ health: { anyOf: [{ $ref: "#/components/schemas/OtherAboutHealth" }, { type: "null" }] } }),
      summary: text,
    }),
    ReportHealth: object({ score: text }),
    ReportHealths: object({ grade: text }),
    OtherAboutHealth: object({ at: text }),
  })
})

test("the build fails for a class with other fields than its component", () => {
  const definitions = { Health: object({ status: text, node: text }), Range: object({ from: text, to: text }) }
  const types = `class Health(TypedDict):
    status: str
    """
    Null: none is known
    """
    node: NotRequired[str]


Range = TypedDict(
    "Range",
    {
        "from": str,
        "to": str,
    },
)
`
  expect(() => checkClasses(definitions, types)).not.toThrow()
  const wrong = types.replace("    status: str\n", "")
  expect(() => checkClasses(definitions, wrong)).toThrow("types.py: Health has the fields node, not node,status")
  expect(() => checkClasses(definitions, types.replaceAll("Health", "Health1"))).toThrow("Health has the fields")
  expect(() => checkClasses(definitions, types.replace('"to"', '"till"'))).toThrow("Range has the fields from,till")
})
