/** [first step of the path, title, what the page is for] of each page of the operator. */
export const OPERATOR_PAGES: readonly (readonly [string, string, string])[] = [
  ["fleet", "Fleet", "Probe nodes: their state, reputation and findings. Drain a node before maintenance."],
  ["model", "Model", "What the score learned from feedback, and how well its probabilities hold."],
]
