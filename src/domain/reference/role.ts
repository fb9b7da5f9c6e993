import { words } from "./tables.ts"

/** A shorter word without a separator is often the start of a name: "hr" in "hristo". */
const MIN_COMPOUND = 4
const SEPARATORS = /[._\-\s]+/

/** No-reply addresses, in any combination: "calendar-noreply", "no-reply-forms". */
const NO_REPLY = /(^|[._-])(no[._-]?reply|do[._-]?not[._-]?reply)([._-]|$)/

const LETTERS: Readonly<Record<string, string>> = { ß: "ss", ł: "l", ø: "o", æ: "ae", œ: "oe", ı: "i", đ: "d", ё: "е" }

/** Whether a mailbox is named after a function, not a person ("sales.miller"). @param mailbox without its tag */
export function isRoleMailbox(mailbox: string): boolean {
  const folded = fold(mailbox)
  if (NO_REPLY.test(folded)) return true
  const parts = folded.split(SEPARATORS).filter((part) => part !== "")
  if (parts.length === 1) return ROLE_ALONE.has(parts[0]!) || isRoleWord(parts[0]!)
  // A single letter is an initial: "j.obs" is not a jobs mailbox.
  if (parts.every((part) => part.length > 1) && isRoleWord(parts.join(""))) return true
  return parts.every(isPart) && parts.some(isRoleWord)
}

function isPart(part: string): boolean {
  return ROLE_QUALIFIERS.has(part) || /^\d{1,4}$/.test(part) || isRoleWord(part)
}

/** Whether the text is a role word, also with a number ("info2"), an affix ("salesteam") or another role word. */
function isRoleWord(text: string): boolean {
  const word = text.replace(/(?<=\D)\d{1,2}$/, "")
  if (ROLE_WORDS.has(word)) return true
  for (let at = MIN_COMPOUND; at < word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)]
    if (ROLE_WORDS.has(head) && (ROLE_AFFIXES.has(tail) || isLongRole(tail))) return true
  }
  return false
}

function isLongRole(text: string): boolean {
  return text.length >= MIN_COMPOUND && ROLE_WORDS.has(text)
}

/** Converts to lower case without diacritics, so that "contabilità", "Büro" and "księgowość" match the tables. */
function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return text
    .toLowerCase()
    .replace(/[ßłøæœıđё]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFD")
    .replace(/\p{Script=Latin}\p{M}+/gu, ([base = ""]) => base)
    .replace(/\p{Script=Greek}\p{M}+/gu, ([base = ""]) => base)
    .normalize("NFC")
}

/** Role words, folded, also for compounds. Not the names among them: bill, chef, bok, mark, grant, art, page. */
const ROLE_WORDS = words(`
  # RFC 2142, RFC 822 and software
  abuse noc security postmaster hostmaster usenet webmaster www uucp ftp root mailerdaemon listrequest sysadmin
  admin administrator administrators admins administration sysop listserv majordomo nobody daemon bounce bounces
  noreply donotreply dontreply noresponse autoreply notification notifications notify alert alerts
  devnull devops spam phishing dnsadmin dmarc tlsrpt newsletter newsletters mailing mailinglist
  unsubscribe subscribe subscriptions subscription remove optout registrar operations ops itsupport itdesk helpdesk servicedesk
  # English
  info information infos inquiry inquiries enquiry enquiries contact contacts contactus hello helloteam welcome feedback
  sales presales salesteam salesdesk support supports supportteam help helpme service services customerservice
  customerservices customercare customersupport customersuccess clientservices clientservice custserv care billing
  invoice invoices invoicing accounting accounts accountspayable accountsreceivable payable payables receivable
  receivables payment payments payroll finance finances financial treasury tax taxes audit bookkeeping orders ordering
  purchase purchases purchasing procurement shipping delivery returns refunds refund warehouse logistics dispatch
  fulfillment fulfilment marketing advertising ads adops advertise communications communication comms pressoffice
  publicrelations media mediarelations newsroom newsdesk editorial editors advert events sponsorship partnership
  partnerships partners partner affiliates affiliate bizdev businessdevelopment investor investors investorrelations
  legal compliance privacy dataprotection dpo gdpr copyright dmca trademark licensing hr humanresources people
  recruiting recruitment recruiter recruiters talent talents hiring career careers jobs jobapplication
  applications vacancies internship internships resume resumes reception frontdesk office
  mainoffice headoffice secretary secretariat management board executive ceo cfo cto coo cio ciso cmo founders owners
  staff team teams everyone everybody allstaff allusers employees members membership volunteers volunteer donations
  donate fundraising alumni admissions enrollment bursar library faculty students studentservices parents school
  reservations reservation booking bookings bookingoffice tickets ticketing concierge restaurant
  shop store webshop eshop onlineshop quote quotes rfq tender tenders bids estimates estimating workshop
  engineering developers development webdev webteam webadmin design production quality
  technical techsupport technicalsupport tech maintenance facilities trouble troubleticket outage
  research labs testing tester testers qa product products project projects training education
  moderator moderators community forum social socialmedia suggestions complaints complaint safety emergency
  general generalinfo group groups department dept hotline callcenter callcentre mailbox mailroom webmail
  publicidade adwords agency branding campaigns ecommerce leads marketplace outreach promotions publishing referrals wholesale
  announcements voicemail appointments conference webinar webinars accessibility accountmanager accountmanagement
  analytics announce bookkeeper contracts coordinator customers customerfeedback customerrelations customersuccessteam
  expenses frontoffice grants inbound insurance investments leadership leasing maildaemon mailman mgmt onboarding
  offboarding permissions receipts receptionist registration reporting shareholders signup signups submissions suppliers
  supplier superintendent supply techops timesheets trustees vendors vendor whois inoc ispfeedback fbl
  sponsors sponsor subscribers workshops newbusiness insidesales retail advisors executives allhands allemployees
  ispsupport phish undisclosedrecipients mailer alarm alarms noreplies ithelp officemanager privacyofficer getintouch moreinfo
  webinfo clientcare onlinesupport fieldservice guestservice guestservices memberservices membersuccess financialaid
  medicalrecords peopleops salesops salesengineers salesinfo accountmanagers productmanagers projectmanagers hrdept secops
  csirt psirt claims underwriting policies loans lending mortgages rentals listings showings scheduling intake permits
  licenses inspections elections remittance receiving switchboard warranty rma exports imports resellers reseller dealers
  dealer distributors distributor sourcing ethics whistleblower scholarships coupons discounts backups invitations
  employment engineers contractors supervisors volunteering storefront newbiz enews
  # German
  kontakt auskunft anfrage anfragen vertrieb verkauf einkauf bestellung bestellungen bestellservice auftrag auftraege auftrage
  buchhaltung rechnung rechnungen rechnungseingang rechnungswesen mahnung mahnwesen kasse lohnbuchhaltung
  kundenservice kundendienst kundenbetreuung kundensupport technik werkstatt versand lager logistik
  empfang rezeption sekretariat verwaltung hausverwaltung zentrale geschaeftsstelle geschaftsstelle
  geschaeftsfuehrung geschaftsfuhrung geschaeftsleitung geschaftsleitung vorstand betriebsrat
  personalabteilung personalwesen bewerbung bewerbungen ausbildung karriere stellenangebote presse pressestelle
  redaktion leserbriefe anzeigen werbung oeffentlichkeitsarbeit offentlichkeitsarbeit datenschutz
  datenschutzbeauftragter impressum poststelle posteingang buero buro kanzlei praxis apotheke termine terminvergabe
  reservierung reservierungen buchung buchungen gemeinde rathaus stadtverwaltung buergerbuero burgerburo schule
  bibliothek pfarramt spenden mitglieder mitgliederservice mitgliederverwaltung abo aboservice reklamation
  reklamationen retouren hilfe edv rechtsabteilung revision ausschreibung nachricht
  # French
  accueil commercial comptabilite compta facturation factures facture direction directiongenerale secretaire
  mairie recrutement rh ressourceshumaines emploi candidature candidatures stage stages communications achats achat
  ventes vente serviceclient serviceclients serviceaprevente sav devis reservationsgroupes boutique magasin commande
  commandes livraison juridique qualite technique administratif gestion redaction abonnement abonnements
  adherents reclamation reclamations renseignements informatique assistance aide nepasrepondre logistique bibliotheque
  # Spanish
  contacto contactanos ventas soporte administracion administrador facturacion facturas factura contabilidad
  rrhh recursoshumanos atencion atencionalcliente atencioncliente atencionclientes servicioalcliente compras pedidos
  pedido informacion informes prensa empleo empleos trabajo bolsadetrabajo reservas recepcion direccion
  direcciongeneral gerencia gerente secretaria secretariageneral comercial tienda ayuda consultas clientes cobranza cobranzas
  tesoreria presupuestos presupuesto postulaciones curriculum cv mercadeo mercadotecnia publicidad calidad almacen
  logistica sistemas proveedores exportaciones sugerencias reclamos quejas matriculas admisiones alumnos
  operaciones oficina comunicacion finanzas produccion escritorio reserva reservaciones contactenos administrativo
  noresponder norespondas protecciondedatos notificaciones comunicaciones capacitacion consultoria ingenieria informatica
  redaccion laboratorio colegio farmacia
  # Portuguese words that are not also Spanish
  qualidade redacao jornalismo engenharia assistencia informativo
  # Italian
  amministrazione contabilita vendite assistenza assistenzaclienti commerciale ufficio ufficiostampa
  ufficioacquisti ufficiocommerciale segreteria direzione direzionegenerale acquisti ordini ordine prenotazioni
  prenotazione fatture fatturazione fattura lavoro lavoraconnoi risorseumane personale stampa clienti
  servizioclienti servizio magazzino protocollo pec abbonamenti redazione informazioni preventivi
  negozio biblioteca presidenza tesseramento spedizioni qualita ufficiotecnico
  # Dutch
  verkoop inkoop klantenservice boekhouding administratie personeelszaken personeel vacatures vacature sollicitatie
  sollicitaties receptie facturen factuur facturatie pers bestellingen bestelling directie secretariaat
  ledenadministratie magazijn storing storingen werkenbij reserveren reserveringen winkel planning
  debiteuren crediteuren salarisadministratie klachten bezwaar gemeentehuis aanmelden aanmelding redactie
  # Portuguese
  contato contatos vendas suporte atendimento financeiro financeira faleconosco sac recrutamento administracao
  diretoria direcao ouvidoria cobranca faturamento faturacao fiscal contabilidade prefeitura suprimentos tecnologia comunicacao imprensa loja ajuda geral vagas
  curriculo curriculos licitacao licitacoes juridico orcamento orcamentos encomendas apoioaocliente apoio
  clienteservico secretariado naoresponda naoresponder marketingdigital relacionamento
  # Swedish, Danish, Norwegian, Finnish
  kundtjanst kundservice forsaljning ekonomi faktura fakturor bokning bokningar vaxel jobb kansli styrelsen
  ordforande kassor reklamation kundsupport kundeservice kundecenter kundesupport salg salgsavdeling postmottak firmapost
  regnskab regnskap okonomi bogholderi butik butikk resepsjon ordre bestilling bestillinger kontor rekruttering stilling
  stillinger asiakaspalvelu asiakaspalaute myynti laskutus laskut toimisto rekry rekrytointi tilaukset palaute kirjaamo
  tuki hallinto neuvonta varaukset varaus tiedotus
  # Polish
  biuro biuroobslugi sprzedaz obsluga obslugaklienta ksiegowosc kadry faktury rekrutacja praca sekretariatszkoly
  zamowienia zamowienie reklamacje serwis pomoc redakcja handlowy dzialhandlowy hurtownia sklep rezerwacje rezerwacja
  recepcja dyrekcja zarzad iod rodo oferty oferta hurt ogloszenia reklama marketing przetargi logistyka magazyn
  windykacja urzad gmina szkola biblioteka
  # Russian, in Latin letters and in Cyrillic; Ukrainian
  zakaz zakazy prodazhi prodaji prodaja buh buhgalter buhgalteria buhgalteriya kadry sbyt snab snabzhenie priemnaya
  priyomnaya pochta rezume vakansii otdel otdelkadrov otdelprodazh opt sklad podderzhka pomosch dogovor spravka
  kancelyaria direktor bronirovanie reklamaotdel dostavka tender uslugi
  инфо информация поддержка помощь продажи отделпродаж бухгалтерия отдел кадры отделкадров заказ заказы админ
  администратор директор почта резюме вакансии пресса приемная реклама доставка офис склад закупки снабжение
  секретарь маркетинг контакт контакты бронирование справка інфо підтримка продаж замовлення бухгалтерія
  # Turkish, Czech, Slovak, Hungarian, Romanian, Croatian, Greek
  bilgi iletisim satis satinalma destek muhasebe insankaynaklari kurumsal siparis siparisler musterihizmetleri
  kariyer basin yonetim rezervasyon teknik fatura
  obchod objednavky objednavka podpora ucetni uctarna uctaren ucto fakturace fakturacia fakturacie recepce kariera
  reklamace podatelna urad obec skola prodej prodejna predaj sluzby servis dotazy
  ugyfelszolgalat ertekesites penzugy penzugyek iroda allas allasok rendeles rendelesek szamla szamlazas titkarsag
  kapcsolat tajekoztatas onkormanyzat konyveles
  vanzari comenzi contabilitate suport birou cariere facturi relatii relatiiclienti rezervari achizitii angajari
  prodaja podrska racunovodstvo narudzbe nabava uprava tajnistvo
  poliseis logistirio grammateia eksipiretisi πωλησεις λογιστηριο γραμματεια
  # Japanese in romaji and kanji; Chinese in pinyin and characters; Korean
  otoiawase toiawase eigyo eigyou eigyobu saiyo saiyou soumu soumubu keiri jinji kouhou koho madoguchi uketsuke okyakusama
  kokyaku mitsumori yoyaku jimukyoku kanri hanbai chumon chuumon gijutsu kaihatsu
  お問い合わせ 問い合わせ 営業 採用 総務 経理 人事 広報 受付 予約 事務局
  kefu xiaoshou caiwu zhaopin renshi shichang jishu bangongshi shouhou caigou xingzheng
  客服 销售 财务 招聘 人事部 市场 技术 售后 采购 行政 联系 客服中心 銷售 財務
  gogaek yeongeop chaeyong 고객센터 영업 채용 문의 고객지원 관리자
  # Arabic and Hebrew, written in their own letters
  معلومات مبيعات دعم اتصال وظائف חשבונות מכירות תמיכה מידע שירות משרד
`)

/** Role words for whole mailboxes only. In a compound they may be a name or an ordinary word ("dev.patel"). */
const ROLE_ALONE = words(`
  all dev editor it pr ir post press news mail email web api app apps server system network hosting domain domains
  dns ssl cert certificate backup monitor monitoring nagios jira git svn ci build deploy release bot robot cron
  test demo sample example guest user username null void legal list lists request requests direct
  director manager president principal founder owner chairman chairperson headmaster treasurer
  order events event blog magazine radio studio studios hq crew gm ik gf op kasir
  hola bonjour hallo ciao sale angebot angebote agents boxoffice housekeeping servers verification collections
  account accountant acquisition adm advice advisor archive archives auctions automated automation backend benefits
  beta bills bugs business calendar campaign campus catering central chat client clients comments committee
  company competition consulting content controller council courses creative crm customer deals designer designers
  developer devs digest digital directors directory docs enquire enquires equipe equipo error errors exec execs export
  fax frontend graphics hi ideas import inbox innovation insights integration integrations intern interns invest
  investment job junk lab managers meeting mkt noemail none nospam offers photos platform postbox ppc presidencia
  program programs promo promos publisher publishers question questions register reminder reminders report reports
  response revenue rfp rsvp schedule seo shopping site software solutions stats strategy student submit survey
  surveys systems teacher teachers trainers transport travel turismo update updates ux website smtp listmanager
  club camp church parish museum hotel gallery clinic pharmacy praxisteam kitchen kita tv
  ap ar eng biz vp sre soc infra infrastructure faq data database status bulletin growth outbound giving foundation charity
  learning classes academy property realestate trade trading markets parts apply ask hey howdy contest optin operator
  supervisor provost headteacher clerk mayor police sheriff recorder customs personnel recruit join joinus invites
  ambassadors ambassador brand franchise metrics startups stories technology tools internet courrier rnd webdesign
  presidente success twitter facebook linkedin instagram youtube whatsapp
`)

/** Words that may accompany a role word: places, languages, divisions. */
const ROLE_QUALIFIERS = words(`
  # Divisions and kinds
  team teams dept department division unit desk office offices group center centre central main hq general global
  international intl world worldwide national regional local corp corporate company inc ltd llc gmbh co online web
  internet digital mobile app cloud it hr new old internal external public private only all us me uk the my our your and
  for at to of in no not do dont reply replies response customer customers client clients user users member member
  business commercial residential retail wholesale enterprise smb b2b b2c vip premium product products press news
  technical tech software hardware data network web mail email e account key field inside outside direct
  first second north south east west northeast northwest southeast southwest test prod production staging live
  dev order orders
  # Places
  eu emea apac latam mena anz dach benelux nordic nordics na sea asia europe africa america americas pacific oceania
  usa uae uk england scotland wales ireland france germany deutschland austria oesterreich osterreich switzerland
  schweiz suisse svizzera italy italia spain espana portugal brazil brasil mexico argentina chile colombia peru
  canada australia newzealand india china japan korea singapore malaysia indonesia thailand vietnam philippines
  taiwan hongkong russia ukraine poland polska czech cesko slovakia slovensko hungary romania bulgaria greece
  turkey turkiye israel egypt southafrica nigeria kenya netherlands nederland belgium belgie belgique luxembourg
  denmark danmark sweden sverige norway norge finland suomi iceland estonia latvia lithuania croatia hrvatska
  serbia slovenia slovenija cyprus malta
  london berlin munich muenchen munchen hamburg koeln koln frankfurt stuttgart dresden leipzig duesseldorf dusseldorf
  wien vienna zurich zuerich geneva geneve bern basel paris lyon marseille lille bordeaux toulouse nantes
  strasbourg madrid barcelona valencia sevilla lisboa lisbon porto milano milan roma rome torino napoli bologna
  amsterdam rotterdam utrecht brussels bruxelles antwerp antwerpen copenhagen stockholm oslo helsinki warszawa warsaw
  krakow wroclaw poznan gdansk praha prague brno bratislava budapest bucharest sofia athens istanbul ankara izmir
  moscow moskva spb msk kiev kyiv minsk dubai doha riyadh telaviv cairo lagos nairobi capetown joburg johannesburg
  mumbai delhi bangalore chennai hyderabad kolkata pune tokyo osaka seoul shanghai beijing shenzhen hk sg
  bangkok jakarta manila hanoi sydney melbourne brisbane perth auckland wellington toronto montreal vancouver calgary
  ottawa nyc newyork boston chicago dallas houston austin denver seattle losangeles sanfrancisco sf la miami atlanta
  detroit phoenix philadelphia washington dc saopaulo rio bogota lima santiago buenosaires caracas cdmx
  # Languages and countries, by code
  ad ae ar at au az ba bd be bg bo br by ca ch cl cn cr cz de dk dz ec ee eg en es fi fr ge gr gt hr hu id ie il
  ir is jp ke kr kw kz lb lk lt lu lv ma md mk mt mx my ng nl nz pa pe ph pk pl ps pt py qa ro rs ru sa se si sk sv
  th tn tr tw ua ug uy uz ve vn za
`)

/** Suffixes that may follow a role word without a separator: "salesteam", "infodesk", "supportuk". */
const ROLE_AFFIXES = words(`
  team teams desk dept department office group center centre service services online mail email mailbox line
  uk usa eu emea apac global international
`)
