import type { Status } from "../../../schema/vocabulary.ts"

/** What a form does with an address. */
export const FORM_ACTIONS = ["ok", "fix", "warn", "block"] as const
type FormAction = (typeof FORM_ACTIONS)[number]

/** Why. The first of these that applies decides. */
export const FORM_REASONS = [
  "invalid_syntax",
  "typo",
  "disposable",
  "no_mail_server", // the domain accepts no mail
  "no_mailbox",
  "role", // named after a function, so several people read it
  "accepted", // the mail server accepted the mailbox
  "no_answer", // a lookup was too slow or failed
  "unverified", // the domain accepts mail, and the mailbox is unknown
] as const
type FormReason = (typeof FORM_REASONS)[number]

const ACTIONS: Readonly<Record<FormReason, FormAction>> = {
  invalid_syntax: "fix",
  typo: "fix",
  disposable: "block",
  no_mail_server: "block",
  no_mailbox: "block",
  role: "warn",
  accepted: "ok",
  no_answer: "ok",
  unverified: "ok",
}

/** What is known about an address within the time of a form. */
export interface FormEvidence {
  readonly syntaxValid: boolean
  /** The address that was probably meant. */
  readonly suggestion: string | null
  readonly isDisposable: boolean
  readonly isRole: boolean
  /** Null when DNS gave no answer in time. */
  readonly acceptsMail: boolean | null
  /** The fresh verdict. Null without one. */
  readonly status: Status | null
}

export interface FormDecision {
  readonly action: FormAction
  readonly reason: FormReason
  readonly suggestion: string | null
}

/** Decides what a form does with an address. A missing answer never blocks: only known facts do. */
export function decideForForm(evidence: FormEvidence): FormDecision {
  const reason = reasonOf(evidence)
  return { action: ACTIONS[reason], reason, suggestion: evidence.suggestion }
}

/** Whether the live verdict could change the decision. */
export function needsMailServer({ status, acceptsMail }: FormEvidence, { action }: FormDecision): boolean {
  return status === null && acceptsMail !== false && (action === "ok" || action === "warn")
}

function reasonOf({ syntaxValid, suggestion, isDisposable, isRole, acceptsMail, status }: FormEvidence): FormReason {
  if (!syntaxValid) return "invalid_syntax"
  if (suggestion !== null) return "typo"
  if (isDisposable) return "disposable"
  if (acceptsMail === false) return "no_mail_server"
  if (status === "invalid") return "no_mailbox"
  if (isRole) return "role"
  if (status === "valid") return "accepted"
  return acceptsMail === null ? "no_answer" : "unverified"
}

/** The decision when nothing was found out in time. */
export const NO_ANSWER: FormDecision = { action: "ok", reason: "no_answer", suggestion: null }

/** What a form shows: a message for a reason, and the label of the button that takes the suggestion. */
type Text = Exclude<FormReason, "accepted" | "no_answer" | "unverified"> | "suggestion"

/** Messages by ISO 639-1 language. `{suggestion}` is the suggested address. */
const MESSAGES = {
  en: {
    invalid_syntax: "Please enter a complete email address, such as name@example.com.",
    typo: "This address looks mistyped.",
    disposable: "Please use a permanent email address, not a temporary one.",
    no_mail_server: "This domain cannot receive email. Please check the part after the @.",
    no_mailbox: "This mailbox does not exist. Please check the address.",
    role: "This looks like a shared mailbox. A personal address works better.",
    suggestion: "Did you mean {suggestion}?",
  },
  de: {
    invalid_syntax: "Bitte geben Sie eine vollständige E-Mail-Adresse ein, zum Beispiel name@example.com.",
    typo: "Diese Adresse enthält vermutlich einen Tippfehler.",
    disposable: "Bitte verwenden Sie eine dauerhafte E-Mail-Adresse statt einer Wegwerfadresse.",
    no_mail_server: "Diese Domain kann keine E-Mails empfangen. Bitte prüfen Sie den Teil nach dem @.",
    no_mailbox: "Dieses Postfach existiert nicht. Bitte prüfen Sie die Adresse.",
    role: "Das scheint ein gemeinsam genutztes Postfach zu sein. Besser ist eine persönliche Adresse.",
    suggestion: "Meinten Sie {suggestion}?",
  },
  fr: {
    invalid_syntax: "Saisissez une adresse e-mail complète, par exemple nom@example.com.",
    typo: "Cette adresse semble contenir une faute de frappe.",
    disposable: "Utilisez une adresse e-mail permanente plutôt qu’une adresse jetable.",
    no_mail_server: "Ce domaine ne peut pas recevoir d’e-mails. Vérifiez la partie après le @.",
    no_mailbox: "Cette boîte mail n’existe pas. Vérifiez l’adresse.",
    role: "Cette boîte mail semble partagée. Une adresse personnelle est préférable.",
    suggestion: "Vouliez-vous dire {suggestion}\u00a0?",
  },
  es: {
    invalid_syntax: "Escribe una dirección de correo completa, por ejemplo nombre@example.com.",
    typo: "Parece que esta dirección tiene un error de escritura.",
    disposable: "Usa una dirección de correo permanente en lugar de una temporal.",
    no_mail_server: "Este dominio no puede recibir correo. Revisa la parte después de la @.",
    no_mailbox: "Este buzón no existe. Revisa la dirección.",
    role: "Parece un buzón compartido. Es mejor una dirección personal.",
    suggestion: "¿Quisiste decir {suggestion}?",
  },
  pt: {
    invalid_syntax: "Informe um endereço de e-mail completo, por exemplo nome@example.com.",
    typo: "Parece haver um erro de digitação neste endereço.",
    disposable: "Use um endereço de e-mail permanente em vez de um temporário.",
    no_mail_server: "Este domínio não pode receber e-mails. Confira a parte depois do @.",
    no_mailbox: "Esta caixa de e-mail não existe. Confira o endereço.",
    role: "Esta caixa de e-mail parece compartilhada. Prefira um endereço pessoal.",
    suggestion: "Você quis dizer {suggestion}?",
  },
  it: {
    invalid_syntax: "Inserisci un indirizzo email completo, ad esempio nome@example.com.",
    typo: "Sembra esserci un errore di battitura in questo indirizzo.",
    disposable: "Usa un indirizzo email permanente invece di uno temporaneo.",
    no_mail_server: "Questo dominio non può ricevere email. Controlla la parte dopo la @.",
    no_mailbox: "Questa casella non esiste. Controlla l’indirizzo.",
    role: "Sembra una casella condivisa. Meglio un indirizzo personale.",
    suggestion: "Intendevi {suggestion}?",
  },
  nl: {
    invalid_syntax: "Vul een volledig e-mailadres in, bijvoorbeeld naam@example.com.",
    typo: "Dit adres lijkt een typefout te bevatten.",
    disposable: "Gebruik een vast e-mailadres in plaats van een tijdelijk adres.",
    no_mail_server: "Dit domein kan geen e-mail ontvangen. Controleer het deel na de @.",
    no_mailbox: "Deze mailbox bestaat niet. Controleer het adres.",
    role: "Dit lijkt een gedeelde mailbox. Een persoonlijk adres is beter.",
    suggestion: "Bedoelde je {suggestion}?",
  },
  pl: {
    invalid_syntax: "Podaj pełny adres e-mail, na przykład imie@example.com.",
    typo: "Wygląda na to, że w adresie jest literówka.",
    disposable: "Użyj stałego adresu e-mail zamiast tymczasowego.",
    no_mail_server: "Ta domena nie może odbierać poczty. Sprawdź część po znaku @.",
    no_mailbox: "Ta skrzynka nie istnieje. Sprawdź adres.",
    role: "To wygląda na wspólną skrzynkę. Lepiej podać adres osobisty.",
    suggestion: "Czy chodziło o {suggestion}?",
  },
  sv: {
    invalid_syntax: "Ange en fullständig e-postadress, till exempel namn@example.com.",
    typo: "Adressen verkar vara felskriven.",
    disposable: "Använd en permanent e-postadress i stället för en tillfällig.",
    no_mail_server: "Domänen kan inte ta emot e-post. Kontrollera delen efter @.",
    no_mailbox: "Brevlådan finns inte. Kontrollera adressen.",
    role: "Det här verkar vara en delad brevlåda. En personlig adress fungerar bättre.",
    suggestion: "Menade du {suggestion}?",
  },
  tr: {
    invalid_syntax: "Lütfen eksiksiz bir e-posta adresi girin, örneğin ad@example.com.",
    typo: "Bu adreste bir yazım hatası var gibi görünüyor.",
    disposable: "Lütfen geçici bir adres yerine kalıcı bir e-posta adresi kullanın.",
    no_mail_server: "Bu alan adı e-posta alamıyor. Lütfen @ işaretinden sonrasını kontrol edin.",
    no_mailbox: "Bu posta kutusu mevcut değil. Lütfen adresi kontrol edin.",
    role: "Bu, ortak bir posta kutusuna benziyor. Kişisel bir adres daha uygundur.",
    suggestion: "Bunu mu demek istediniz: {suggestion}?",
  },
  ja: {
    invalid_syntax: "name@example.com のような完全なメールアドレスを入力してください。",
    typo: "メールアドレスに入力ミスがあるようです。",
    disposable: "使い捨てではなく、継続して使えるメールアドレスを入力してください。",
    no_mail_server: "このドメインではメールを受信できません。@ より後ろをご確認ください。",
    no_mailbox: "このメールアドレスは存在しません。入力内容をご確認ください。",
    role: "共有のメールアドレスのようです。個人のメールアドレスをおすすめします。",
    suggestion: "{suggestion} ではありませんか？",
  },
  zh: {
    invalid_syntax: "请输入完整的邮箱地址，例如 name@example.com。",
    typo: "这个邮箱地址可能有拼写错误。",
    disposable: "请使用长期有效的邮箱地址，不要使用临时邮箱。",
    no_mail_server: "该域名无法接收邮件，请检查 @ 后面的部分。",
    no_mailbox: "该邮箱不存在，请检查地址。",
    role: "这似乎是共用邮箱，建议使用个人邮箱。",
    suggestion: "您是不是想输入 {suggestion}？",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<Text, string>>>>

export type FormLanguage = keyof typeof MESSAGES
export const FORM_LANGUAGES = Object.keys(MESSAGES) as [FormLanguage, ...FormLanguage[]]

/** The first of the wanted languages that has messages, else English. @param tags BCP 47, such as "pt-BR" */
export function chooseLanguage(tags: readonly string[]): FormLanguage {
  for (const tag of tags) {
    const primary = tag.split("-", 1)[0]!.toLowerCase()
    const found = FORM_LANGUAGES.find((language) => language === primary)
    if (found) return found
  }
  return "en"
}

/** The message for a reason; null where a form has nothing to show. */
export function messageFor(reason: FormReason, language: FormLanguage): string | null {
  const texts: Readonly<Partial<Record<FormReason, string>>> = MESSAGES[language]
  return texts[reason] ?? null
}

/** The label of the button that takes a suggestion. */
export function suggestionLabel(suggestion: string, language: FormLanguage): string {
  return MESSAGES[language].suggestion.replace("{suggestion}", () => suggestion)
}
