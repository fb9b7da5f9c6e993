import fc from "fast-check"
import { expect, test } from "vitest"
import { isRoleMailbox } from "../../../src/domain/reference/role.ts"
import { classesOf, table } from "./classes.ts"

test.each(
  table(`
    abuse admin administrator billing careers compliance contact customercare customerservice editor enquiries feedback
    finance hello help helpdesk hostmaster hr info it jobs legal mailer-daemon marketing media news noc noreply
    office postmaster press privacy root sales security support sysadmin team webmaster www dpo ceo all dev devops qa
    no-reply no.reply no_reply calendar-noreply no-reply-forms list-request jane-noreply do-not-reply donotreply customer_service customer.service customer-support sales-eu eu-sales
    info.de info.berlin sales.uk support-en support_us techsupport tech.support hr-team salesteam supportteam info2 sales01
    support24 it-support help-desk accounts.payable accounts-receivable investor-relations human.resources data-protection
    press.office sales.germany info-usa marketing.emea team.london sales.and.marketing infouk
    kontakt vertrieb buchhaltung rechnung bewerbung presse datenschutz kundenservice einkauf geschaeftsfuehrung sekretariat
    büro buero geschäftsführung aufträge bewerbungen personalabteilung poststelle rechnung-wien info-muenchen
    comptabilite comptabilité accueil recrutement rh service.client serviceclient mairie devis service-commercial
    contacto ventas soporte administracion administración facturacion facturación atencionalcliente rrhh recursos.humanos
    info.madrid ventas-mx reservas pedidos
    amministrazione contabilita contabilità assistenza commerciale segreteria ufficio.stampa risorse-umane info.roma
    klantenservice verkoop boekhouding administratie vacatures personeelszaken facturen
    contato vendas suporte atendimento financeiro faleconosco rh-brasil orçamentos
    kundtjänst kundtjanst försäljning forsaljning ekonomi faktura bokning kundeservice salg postmottak asiakaspalvelu myynti
    biuro sprzedaż sprzedaz księgowość ksiegowosc rekrutacja zamówienia obsługa.klienta sekretariat kadry
    инфо поддержка продажи бухгалтерия отдел.кадров zakaz buh prodazhi priemnaya otdel-prodazh
    bilgi iletişim satış muhasebe obchod objednávky ügyfélszolgálat értékesítés vânzări comenzi
    otoiawase eigyo eigyou saiyo saiyou soumu keiri jinji kefu xiaoshou 客服 営業
    ispsupport phish undisclosed-recipients mailer ap ar eng biz vp sre soc csirt psirt secops infra faq status alarm data
    office.manager privacy-officer get.in.touch guest.services medical.records financial.aid it-help claims underwriting
    loans lending rentals listings scheduling intake permits inspections elections clerk mayor police sheriff switchboard
    rma warranty remittance parts trade exports reseller dealers sourcing ethics whistleblower scholarships giving
    foundation academy learning growth coupons bulletin hey ask apply twitter linkedin youtube customs provost operator
    qualidade informatica redacao bibliotheque laboratorio notificaciones comunicaciones engenharia personnel no-replies
    hola bonjour hallo ciao sale angebot angebote agents boxoffice housekeeping servers verification collections
  `),
)("%s is a role", (mailbox) => {
  expect(isRoleMailbox(mailbox)).toBe(true)
})

test.each(
  table(`
    bill infante supportman mark grant art page penny will rob adam frank salesi webb hosty postma rooter newson testa
    billings marketa markéta jobson newsome pressman salesman officer teamer adminski helpmann contardo infantino hristo
    ithaca itamar prakash devin devi deval legaldo mediavilla medina abusharif hansen teamo serviceman securo helena
    john jane.miller sales.miller bill.sales support.smith admin.jones dev.patel art.director-kim jobs.steve
    sale.miller ciao.bella hola.maria salem j.obs p.ress noreplyman casino.replyson hr.giger it.johnson mary.press news.cooper mailman.joe team.mueller officer.k steve.jobs chef bok miller.info
    norman.mailer dean dean.jones jenkins ethan.trade anna.parts hey.jude data.patel apple arlo enga vpatel sheriff.ali bizet
    mayor.pete clerk.maxwell lendl claimant parton askew academia foundas warrantyman statusquo police.john
    josé müller łukasz søren øyvind иван мария 太郎 j.d x y 12345 007 eu de us uk london eu.de team1x 2024
  `),
)("%s is not a role", (mailbox) => {
  expect(isRoleMailbox(mailbox)).toBe(false)
})

test.each([
  ["team+x@acme.example", true, true],
  ["Sales+Spring@acme.example", true, true],
  ["SALES@ACME.EXAMPLE", true, false],
  ["support-news@yahoo.com", true, true],
  ["jane+sales@acme.example", false, true],
  ["info@fastmail.com", true, false],
  ["sales@jane.fastmail.com", false, true],
  ['"no reply"@acme.example', true, false],
])("%s: role %s, subaddress %s", (email, isRole, isSubaddress) => {
  expect(classesOf(email)).toMatchObject({ isRole, isSubaddress })
})

test.each([
  ["jane@gmail.com", false],
  ["jane+shop@gmail.com", true],
  ["jane+@gmail.com", true],
  ["+jane@gmail.com", false],
  ["jane-shop@yahoo.com", true],
  ["jane-shop@yahoo.co.uk", true],
  ["jane-shop@ymail.com", true],
  ["jane-shop@gmail.com", false],
  ["jane-shop@notyahoo.com", false],
  ["anne-marie@acme.example", false],
  ["shop@jane.fastmail.com", true],
  ["shop@jane.fastmail.fr", true],
  ["jane@fastmail.com", false],
  ["jane@mail.acme.example", false],
  ['"jane + shop"@acme.example', false],
])("subaddress %s: %s", (email, isSubaddress) => {
  expect(classesOf(email).isSubaddress).toBe(isSubaddress)
})

test("separators and case do not change the result for a role word", () => {
  const roles = fc.constantFrom("sales", "support", "kontakt", "ventas", "billing")
  const separators = fc.constantFrom(".", "-", "_")
  const places = fc.constantFrom("eu", "usa", "berlin", "de", "north", "team", "2")
  fc.assert(
    fc.property(roles, separators, places, fc.boolean(), (role, separator, place, isUpper) => {
      const mailbox = [role, place].join(separator)
      expect(isRoleMailbox(isUpper ? mailbox.toUpperCase() : mailbox)).toBe(true)
      expect(isRoleMailbox([role, "kowalczyk"].join(separator))).toBe(false)
    }),
  )
})

test("any local part has a result", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 64, unit: "grapheme" }), (mailbox) => {
      expect(typeof isRoleMailbox(mailbox)).toBe("boolean")
    }),
  )
})
