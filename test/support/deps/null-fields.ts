/** Null means "there is none" in these fields. In an explanation it means that nothing is known. */
const NULL_IS_AN_ANSWER = new Set(["did_you_mean", "primary_risk", "next_check_at", "explanation"])

/** The paths of null fields whose object gives no reason in `null_reasons`, and of reasons without a null field. */
export function nullsWithoutReason(answer: object, path = ""): string[] {
  const fields = Object.entries(answer).filter(([name]) => !NULL_IS_AN_ANSWER.has(name) && name !== "null_reasons")
  const reasons = Object.keys((answer as { null_reasons?: object }).null_reasons ?? {})
  const nulls = fields.filter(([, value]) => value === null).map(([name]) => name)
  const unexplained = [
    ...nulls.filter((name) => !reasons.includes(name)),
    ...reasons.filter((name) => !nulls.includes(name)),
  ]
  const deeper = fields.flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? nullsWithoutReason(value, `${path}${name}.`) : [],
  )
  return [...unexplained.map((name) => path + name), ...deeper]
}
