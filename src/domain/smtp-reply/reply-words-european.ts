import type { LanguageWords } from "./reply-rule.ts"

/** Languages of Europe whose replies need a word for the recipient beside the predicate. */
export const EUROPEAN_LANGUAGES: readonly LanguageWords[] = [
  {
    language: "greek",
    recipient:
      "χρήστη|χρηστών|παραλήπτη|λογαριασμ|γραμματοκιβώτι|θυρίδα|διεύθυνση|διευθύνσ|mail|μέιλ|συνδρομητή|προορισμ|" +
      "μέλος",
    missing:
      "δεν? (?:υπάρχ|βρέθηκ|εντοπίστηκ|βρίσκ|αναγνωρίζ|αναγνωρίστηκ)|" +
      "δεν? (?:είναι|ήταν) (?:πλέον )?(?:έγκυρ|διαθέσιμ|γνωστ|καταχωρ|εγγεγραμμέν|δυνατή η εύρεση|σωστ)|" +
      "δεν? (?:μπορεί|μπόρεσε|μπορούσε) να (?:βρεθεί|εντοπιστεί)|άγνωστ|ανύπαρκτ|" +
      "μη (?:υπαρκτ|έγκυρ|διαθέσιμ|αναγνωρίσιμ|καταχωρ|αναγνωρισμέν|εγγεγραμμέν)|αδύνατη η εύρεση|άκυρ|λανθασμέν|" +
      "εσφαλμέν|λάθος|διαγραφ|διαγράφ",
    noSuch:
      "(?:κανένας|δεν υπάρχει|δεν έχουμε) (?:τέτοιος |τέτοιο |τέτοια |αυτός ο |ο )?(?:χρήστη|παραλήπτη|λογαριασμ|γραμματοκιβώτι|διεύθυνση|θυρίδα)",
    disabled:
      "απενεργοπο|ανενεργ|(?:δεν είναι|μη) (?:πλέον )?ενεργ|ανασταλ|αναστολή|ανεσταλ|κλειδωμέν|κλειδώθ|κλειστ|" +
      "έκλεισ|έχει κλείσ|μπλοκαρ|έληξ|έχει λήξ|ληγμέν|αδραν|καταργ",
    full:
      "(?:γραμματοκιβώτι|θυρίδα|λογαριασμ|mail)[^.;!?]{0,40}(?:γεμάτ|γέμισ|πλήρ|υπερβ|ξεπερ|υπέρβ)|" +
      "υπέρβαση (?:ορίου|χώρου|χωρητικότητας)|δεν (?:υπάρχει|έχει)[^.;!?]{0,15}χώρο",
    server: "(?:διακομιστής|διακομιστη αλληλογραφιας|εξυπηρετητής|υπηρεσία|βάση δεδομένων)",
    sender: "αποστολέ|αποστολή|(?:διακομιστή|διεύθυνσή|τομέα|λογαριασμό|ip|διεύθυνση)[^.;!?]{0,15} (?:σας|σου)",
    policy:
      "πολιτικ|κωδικ|ταυτοποίησ|πιστοποίησ|αυθεντικοποίησ|ανεπιθύμητ|εξωτερικ|επιτρέπ|επιτρεπτ|απαγορε|" +
      "εξουσιοδότ|διεύθυνση ip|μαύρη λίστα",
    rate: "πάρα πολλ|υπερβολικ|πολύ συχν|μεγάλος αριθμός",
    temporary: "προσωριν|αργότερα|δοκιμάστε|προσπαθήστε|αυτή τη στιγμή|προς το παρόν",
    seen: ["550 Ο χρήστης δεν βρέθηκε", "550 Ο λογαριασμός έχει απενεργοποιηθεί"],
  },
  {
    language: "bulgarian",
    recipient: "потребител|получател|абонат|пощенск|кути[яи]|акаунт|адрес|имейл|е-?поща|mail|профил",
    missing:
      "не съществува|несъществува|" +
      "не (?:е|бе|беше|са|бъде) (?:бил |била |било )?(?:намер|открит|валид|достъп|налич|регистриран|разпознат|познат|известен|известна)|" +
      "(?:не може да|не можа да|не успяхме да) (?:бъде |се )?(?:намер|открие|намери)|неизвест|непознат|невалид|" +
      "ненамерен|неоткрит|недостъп|неналич|нерегистриран|греш[еан]|погреш|некорект|изтрит|премахнат|" +
      "вече (?:не съществува|го няма)",
    noSuch:
      "няма (?:такъв |такава |такова |регистриран |съществуващ )?(?:потребител|получател|акаунт|адрес|кутия|пощенска|абонат|имейл|профил)",
    disabled:
      "деактивир|неактив|не е (?:вече )?актив|спрян|закрит|затворен|блокиран|заключен|суспендиран|изтек|изключен|" +
      "замразен|прекратен",
    full:
      "(?:кути[яи]|акаунт|поща)[^.;!?]{0,40}(?:пълн|пълен|препълн|надвиш|надхвърл)|" +
      "няма (?:достатъчно )?(?:място|пространство)",
    server: "(?<!(?:на|в|от) (?:този )?)(?:сървър|услугата|базата данни)",
    sender: "подател|изпращач|ваш(?:ия|ият|ата|ето|ите)? ",
    policy:
      "политик|парол|правила|удостовер|нежелан|външ|отвън|не (?:е|са) (?:разреш|позвол)|неразреш|непозвол|забран|" +
      "черен списък|ip адрес",
    rate: "твърде (?:много|често|бързо)|прекалено (?:много|често|бързо)|голям брой|многократ",
    temporary: "временно|по-късно|в момента|опитайте",
    seen: ["550 Потребителят не съществува", "550 Акаунтът е деактивиран"],
  },
  {
    language: "lithuanian",
    recipient: "vartotoj|naudotoj|gavėj|adresat|(?:pašto )?dėžut|paskyr|adres|pašt|abonent",
    missing:
      "ne(?:be)?egzistuo|neegzistav|ne(?:be)?rast|nepavyko rasti|nepavyksta rasti|(?:negalima|negali būti) rast|" +
      "nežinom|neteising|neteisėt|negalioja|negaliojan|netinkam|klaiding|neprieinam|nepasiekiam|" +
      "(?:nėra|nebėra|nebuvo) (?:prieinam|pasiekiam|rast|galiojan|žinom|registruot)|neregistruot|neužregistruot|" +
      "neatpažint|nesurast|ištrint|pašalint",
    noSuch:
      "(?:nėra|nebėra) (?:tokio |tokios )?(?:vartotoj|naudotoj|gavėj|adres|paskyr|dėžut|pašto|el\\.)|" +
      "(?:vartotojo|naudotojo|gavėjo|adresato|adreso|paskyros|dėžutės)[^.;!?]{0,20} (?:nėra|nebėra)|" +
      "(?:negaliojan|neteising|netinkam|klaiding|nežinom|neegzistuojan)[a-z]{0,8} el\\. ?pašto",
    disabled:
      "išjungt|užblokuot|blokuoja|blokuot|deaktyvuot|išaktyvint|neaktyv|(?:nėra|nebėra) aktyv|sustabdyt|uždaryt|" +
      "užrakint|pasibaig|atjungt|užšaldyt|suspenduot|panaikint",
    full:
      "(?:pašto|dėžut|paskyr)[^.;!?]{0,40}(?:piln|perpildyt|viršyt|viršij|nebėra vietos)|" +
      "(?:nepakanka|trūksta|nėra) vietos",
    server: "server(?:is|io)(?![a-z])|paslauga|duomenų bazė",
    sender: "siuntėj|jūsų (?:adres|server|domen|ip|pašt|paskyr|el)",
    policy:
      "politik|taisykl|slaptažod|autentif|autentik|iš išorės|išorin|neleidžiam|neleidž|neleist|draudž|uždraust|" +
      "ip adres|juodaj",
    rate: "per daug|per dažnai|pernelyg|per greitai",
    temporary: "laikin|vėliau|šiuo metu|dar kartą",
    seen: ["550 5.1.1 Vartotojas nerastas", "550 Paskyra užblokuota"],
  },
  {
    language: "latvian",
    recipient: "lietotāj|saņēmēj|adresāt|past(?:a )?kast|konts?\\b|konta\\b|kontu\\b|adres|e-?past|pasta|abonent",
    missing:
      "neeksist|nepastāv|" +
      "(?:nav|netika|nebija) (?:vairs |iespējams )?(?:atrast|atrod|pieejam|derīg|zinām|reģistr|pazīstam|pareiz|atpazīst|sasniedzam|spēkā)|" +
      "(?:nevar|nevarēja|neizdevās|nespēj) (?:tikt )?atrast|neatrad|neatrod|neatrast|nezinām|nepazīstam|" +
      "neatpazīt|nederīg|nepareiz|kļūdain|nepieejam|nereģistr|(?:iz)?dzēst",
    noSuch:
      "nav (?:tāda |tādas |šāda |šādas )?(?:lietotāj|saņēmēj|adresāt|adreses|konta|past)|" +
      "(?:lietotāja|adresāta|saņēmēja|konta|adreses|pastkastes|pastkastītes|e-?pasta)(?: [^ .;!?]{1,30}){0,2} nav(?:[ .!]|$)",
    disabled:
      "atspējot|deaktiv|neaktīv|nav (?:vairs )?(?:aktīv|aktivizēt)|bloķēt|apturēt|(?:aiz|iz|at|no)?slēgt|" +
      "iesaldēt|beidz|likvidēt",
    full: "(?:past ?kast|kont)[^.;!?]{0,40}(?:piln|pārpild|pārsnieg)|(?:nepietiek|trūkst|nav) vietas",
    server: "serveris|pakalpojums|datubāze",
    sender: "(?:no)?sūtītāj|jūsu (?:adres|server|domēn|ip|e-?past|kont)",
    policy: "politik|noteikum|parole|autentif|mēstul|ārēj|ārpus|no ārpuses|nav atļaut|neatļaut|aizlieg|ip adres|meln",
    rate: "pārāk (?:daudz|bieži|ātri)|pārmērīg",
    temporary: "īslaic|uz laiku|vēlāk|pašreiz|šobrīd|vēlreiz|pagaidām",
    seen: ["550 Lietotājs nav atrasts", "550 Konts ir bloķēts"],
  },
  {
    language: "estonian",
    recipient: "kasutaja|saaja|adressaa[td]|post ?kast|meilikast|konto|(?:\\w+-?)?aadress|e-?post|e-?kiri|abonent",
    missing:
      "ei (?:leitud|leia|leidu|leitu|eksisteeri|tunta|tuvastatud|suudetud leida)|" +
      "ei (?:õnnestunud|saanud|saa) (?:\\S+ ){0,2}leida|" +
      "(?:ei ole|pole|ei olnud) (?:enam |siin )?(?:olemas|leitud|saadaval|kättesaadav|registreeritud|kehtiv|teada|tuntud|õige|korrektne)|" +
      "puudub|tundmatu|olematu|mitteeksisteeriv|vale(?:[ .!]|$)|vigane|kehtetu|kättesaamatu|kustuta|eemalda|" +
      "registreerimata",
    noSuch:
      "(?:kasutajat|saajat|adressaati|aadressi|kontot|postkasti|nimega)(?: [^ .;!?]{1,30}){0,3} (?:ei ole|pole)(?! (?:luba|aktiiv|tais|ajutis|oig))|" +
      "(?:ei ole|pole) (?:sellist|niisugust|sellenimelist|sellise nimega)",
    disabled:
      "deaktiveeri|desaktiveeri|keelat|blokeeri|suletud|sulet|peatat|lukustat|lukus|mitteaktiiv|inaktiiv|passiiv|" +
      "(?:ei ole|pole) (?:enam )?aktiiv|aegun|külmutat|välja lülitat",
    full:
      "(?:postkast|konto|meilikast)[^.;!?]{0,40}(?:täis|ületa|täitunud)|(?:ei ole|pole) (?:piisavalt )?ruumi|" +
      "maht (?:on )?täis",
    server: "(?:meili|posti)?server(?:it)?(?![a-z])|teenus(?:t)?(?![a-z])|andmebaas",
    sender: "saatja|(?:teie|sinu) (?:aadress|server|domeen|ip|konto|e-?post|meil)",
    policy: "poliitika|reegl|eeskir|parool|autent|rämps|välis|väljast|(?:ei ole|pole) lubatud|ip-?(?: )?aadress|mustas",
    rate: "liiga (?:palju|tihti|sageli|kiiresti)",
    temporary: "ajutis|hiljem|uuesti|hetkel|praegu",
    seen: ["550 5.1.1 Kasutajat ei leitud", "550 Konto on suletud"],
  },
]
