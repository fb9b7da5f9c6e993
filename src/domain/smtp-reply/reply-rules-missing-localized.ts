import type { ReplyRules } from "./reply-rule.ts"

/** Missing mailboxes, in the languages that providers use. Accents are folded as in fold-text.ts. */
export const MISSING_LOCALIZED_RULES: ReplyRules = {
  about: "missing mailbox, localised",
  rules: [
    {
      id: "missing.german",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "unbekannt|existiert nicht|nicht (?:gefunden|vorhanden|bekannt|existent|registriert|zustellbar)|kein(?:e|en)? (?:solche\\w*|gultige\\w*|passende\\w*|postfach|benutzer|empfanger|person|adressat)|un(?:gultig|gueltig)e? ?\\w* ?(?:empfanger|adress|mailadress|e-mail)|(?:empfanger|adresse)\\w* (?:ist )?un(?:gultig|gueltig)|(?:postfach|konto|benutzer|empfanger|empfaenger|adresse) (?:ist )?nicht (?:mehr )?(?:verfugbar|verfuegbar|erreichbar)|gibt es nicht|niemand(?:en)? (?:unter|mit|mit dem)",
      seen: "550 5.1.1 Empfaenger unbekannt",
    },
    {
      id: "missing.french",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "inconnue?|n'existe (?:pas|plus)|inexistante?|introuvable|(?:destinataire|adresse|utilisateur|boite|compte)\\b[^.;]{0,40}(?:invalide|incorrecte?|errone|non trouve|pas (?:valide|trouve|reconnu)|supprime)|aucun (?:utilisateur|destinataire|compte)|pas d'utilisateur|non recense",
      seen: "550 5.5.0 Utilisateur inconnu. LPN000_404",
    },
    {
      id: "missing.romance",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "desconocid[ao]|no existe|no (?:se )?(?:ha )?(?:sido )?encontr|(?:usuario|destinatario|cuenta|buzon|direccion|casilla)\\b[^.;]{0,40}(?:inval|incorrect|inexistente|erron|no valid)|inexistente?|inesistente|sconosciut|non (?:esiste|trovat|e valido|valido|presente)|destinatario errato|indirizzo (?:errato|non)|nao (?:existe|encontrad|foi encontrad)|desconhecid|(?:usuario|destinatario|conta|endereco)\\b[^.;]{0,40}invalid|utilizador|nu exista|no hay (?:ningun )?(?:usuario|buzon)|nadie (?:con|en|por)|(?:usuario|destinatario|utente) (?:nao|non?) (?:tiene|posee|tem|possui|ha) (?:un\\w* )?(?:cuenta|conta|account|buzon|casilla|caixa|casella)\\b",
      seen: "550 5.1.1 Destinatario sconosciuto",
    },
    {
      id: "missing.germanic",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "bestaat niet|onbekend|niet gevonden|ongeldige? (?:adres|ontvanger|gebruiker)|existerar inte|finns inte|\\bokand|hittades inte|\\bukendt|findes ikke|eksisterer ikke|finnes ikke|\\bukjent|ei loydy|ei ole olemassa|tuntematon",
      seen: "550 5.1.1 Gebruiker onbekend",
    },
    {
      id: "missing.slavic",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "nie istnieje|nie ma (?:takiego|takiej)|nieznan|nie znalezion|neexistuje|neznam|nenalezen|ne (?:postoji|obstaja)|не существу|не наиден|неизвестн|несуществ|нет такого|такого (?:пользовател|ящика|адреса)|отсутству|не зарегистрирован|удален|недеиств|не існує|не знаиден|невідом",
      seen: "550 5.1.1 Nie ma takiego konta",
    },
    {
      id: "missing.other",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "不存在|无此用户|無此|没有(?:此|该|这个)|查无|找不到|无效的?(?:收件|用户|邮箱|地址)|無效|用户未找到|不明です|存在しません|存在しない|見つかりません|(?:宛先|ユーザー?|アドレス|アカウント|メールボックス)[^.;。]{0,12}ありません|(?:宛先|ユーザ|アドレス)[^.;]{0,10}(?:不明|無効|誤り|ない)|존재하지|없는 (?:사용자|계정|메일)|찾을 수 없|bulunamadi|gecersiz|mevcut degil|kullanici yok|nem letez|ismeretlen",
      seen: "550 用户不存在",
    },
  ],
}
