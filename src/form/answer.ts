/** The answer of `POST /form/verify`. */
export interface FormAnswer {
  readonly action: "ok" | "fix" | "warn" | "block"
  readonly reason: string
  /** For the visitor; null when the action is `ok`. */
  readonly message: string | null
  /** The address that was probably meant. */
  readonly suggestion: string | null
  /** For the button that takes the suggestion. */
  readonly suggestion_label: string | null
  /** The language of the texts. */
  readonly lang: string
}

/** The detail of the event `mailverdict:result`. */
export interface FormResult extends FormAnswer {
  /** The checked text of the field. */
  readonly email: string
}
