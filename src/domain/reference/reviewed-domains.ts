import { words } from "./tables.ts"

/** Disposable domains, reviewed by hand. They apply even when no public list contains them. */
export const DISPOSABLE_CORE = words(`
  # Mailinator, YOPmail, Guerrilla Mail
  mailinator.com mailinator.net mailinator2.com mailinator.us mailinater.com sogetthis.com spamherelots.com
  thisisnotmyrealemail.com binkmail.com bobmail.info chammy.info devnullmail.com letthemeatspam.com notmailinator.com
  reallymymail.com reconmail.com safetymail.info sendspamhere.com streetwisemail.com suremail.info
  tradermail.info veryrealemail.com zippymail.info spambooger.com monumentmail.com
  yopmail.com yopmail.fr yopmail.net yopmail.gq cool.fr.nf jetable.fr.nf nospam.ze.tc nomail.xl.cx mega.zik.dj
  speed.1s.fr courriel.fr.nf moncourrier.fr.nf monemail.fr.nf monmail.fr.nf
  guerrillamail.com guerrillamail.net guerrillamail.org guerrillamail.biz guerrillamail.de guerrillamail.info
  guerrillamailblock.com sharklasers.com grr.la spam4.me pokemail.net
  # Timed inboxes
  10minutemail.com 10minutemail.net 10minutemail.co.uk 10minutemail.de 10minutesmail.com 10minutmail.pl 10mail.org
  20minutemail.com 20minutemail.it 33mail.de minutemail.com tempail.com tempmail.com tempmail.net tempmail.de
  tempmail.io tempmail.plus tempmail.ninja tempmail.dev tempmailo.com temp-mail.org temp-mail.io temp-mail.com temp-mail.ru
  temp-mail.de tmpmail.org tmpmail.net tmpeml.com tempr.email tempinbox.com tempemail.com tempemail.net
  throwawaymail.com throwaway.email throwam.com fakeinbox.com fakemail.net fakemailgenerator.com emailfake.com
  email-fake.com generator.email tempm.com emailondeck.com emailtemporanea.net mytemp.email mohmal.com mohmal.in
  moakt.com moakt.cc moakt.co moakt.ws disbox.net disbox.org tmails.net tmail.ws
  # Public or unsigned inboxes
  getnada.com nada.email nada.ltd inboxkitten.com maildrop.cc mailnesia.com mailcatch.com mailnull.com maildim.com
  mailsac.com mailexpire.com mailforspam.com mailtemp.info mailde.de mailpoof.com mailhazard.com mailhazard.us mailtothis.com mail-temporaire.fr
  mail-temp.com mailtemporaire.fr mintemail.com incognitomail.com incognitomail.org dispostable.com
  discard.email discardmail.com discardmail.de dropmail.me 10mail.tk emltmp.com spymail.one yomail.info
  mail.tm mail.gw 1secmail.com 1secmail.net 1secmail.org esiix.com wwjmp.com xojxe.com yoggm.com vddaz.com
  burnermail.io burnthespam.info dfgh.net trashmail.com trashmail.de trashmail.me trashmail.net trashmail.org trashmail.at
  trashmail.ws trash-mail.com trash-mail.de trashymail.com wegwerfemail.de wegwerfmail.de wegwerfmail.net
  wegwerfmail.org spamgourmet.com spamgourmet.net spamgourmet.org antichef.com antichef.net spam.la spambox.us
  spambox.info spamfree24.org spamfree24.com spamfree24.de spamex.com spamavert.com spaml.de spaml.com spamday.com
  jetable.org jetable.com jetable.net kasmail.com getairmail.com getonemail.com harakirimail.com anonbox.net
  anonymbox.com mailmoat.com mailzilla.com mt2015.com mvrht.net owlpic.com meltmail.com
  einrot.com cuvox.de armyspy.com dayrep.com fleckens.hu gustr.com jourrapide.com rhyta.com superrito.com teleworm.us
  deadaddress.com despam.it dodgit.com e4ward.net emailsensei.com eyepaste.com filzmail.com
  gishpuppy.com great-host.in hidzz.com ieatspam.eu ieh-mail.de imgof.com inboxalias.com instant-mail.de
  kurzepost.de lhsdv.com lifebyfood.com lookugly.com lroid.com mierdamail.com mailbidon.com nepwk.com nervmich.net
  nospamfor.us nowmymail.com objectmail.com oneoffemail.com pookmail.com proxymail.eu
  putthisinyourspamdatabase.com quickinbox.com rcpt.at recode.me rtrtr.com safe-mail.pp.ua shieldemail.com
  skeefmail.com slopsbox.com smellfear.com snakemail.com sofimail.com sofort-mail.de soodonims.com
  stuffmail.de tempomail.fr thankyou2010.com tilien.com tmail.com tyldd.com uggsrock.com upliftnow.com venompen.com
  vidchart.com viditag.com vubby.com wh4f.org whyspam.me willselfdestruct.com winemaven.info wronghead.com
  xagloo.com xemaps.com xents.com xmaily.com yep.it yuurok.com zehnminutenmail.de zetmail.com zoemail.net zoemail.org
  luxusmail.org linshiyouxiang.net mailto.plus fexpost.com fexbox.org rover.info chitthi.in any.pink merepost.com
  crazymailing.com altmails.com tempmailaddress.com cock.email mail7.io mailpluss.com guysmail.com inboxbear.com
  minuteinbox.com smailpro.com internxt-temp.com tempmailer.com mailhole.de airmail.cc linshi-email.com tempumail.com
  tenermail.com tempmail.us.com etempmail.com ugener.com mocvn.com tenvil.com tgvis.com amozix.com anypsd.com maxric.com
`)

/** Suffixes of mail servers that serve only disposable inboxes, not of general forwarders such as forwardemail.net. */
export const DISPOSABLE_MX = words(`
  mailinator.com yopmail.com guerrillamail.com 10minutemail.com discard.email moakt.com mail.tm mail.gw temp-mail.io
  temp-mail.org tempm.com generator.email emailfake.com email-fake.com mailnesia.com 1secmail.com trashmail.com
  maildrop.cc mailsac.com dropmail.me getnada.com inboxkitten.com spamgourmet.com tempmail.plus mailto.plus
  # Servers named differently from the sites they work for
  den.yt icdn.be cse445.com erinn.biz papierkorb.me wabblywabble.com wallywatts.com tinyhost.shop add5000.com
`)

/** Honest domains that lists call disposable, or would if poisoned. The allow-list adds FREE_CORE and RELAY_DOMAINS. */
export const HONEST_DOMAINS = words(`
  # Mail operators, hosts and forwarders that receive mail for customers' domains
  google.com microsoft.com office365.com onmicrosoft.com outlook.office365.com apple.com improvmx.com mailgun.org
  mailgun.com sendgrid.net sendgrid.com amazonses.com amazonaws.com postmarkapp.com sparkpostmail.com mandrillapp.com
  mailchimp.com mailjet.com sendinblue.com brevo.com zendesk.com freshdesk.com intercom.io intercom-mail.com helpscout.net
  mimecast.com pphosted.com messagelabs.com barracudanetworks.com godaddy.com secureserver.net namecheap.com ovh.com
  ovh.net ionos.com ionos.de strato.de hostinger.com one.com gandi.net infomaniak.com rackspace.com emailsrvr.com
  cloudflare.com cloudflare.net privateemail.com registrar-servers.com titan.email hetzner.de hetzner.com inboxsdk.com mailinblack.com
  mxroute.com purelymail.com dreamhost.com bluehost.com siteground.com wix.com squarespace.com wordpress.com shopify.com
  # Dynamic and shared names that honest people also use
  dyndns.org dynu.com no-ip.com noip.com afraid.org sytes.net ddns.net github.com github.io gitlab.com blogspot.com
  # Large sites, for the guard against a poisoned list
  amazon.com amazon.co.uk amazon.de facebook.com fb.com meta.com instagram.com whatsapp.com twitter.com x.com
  linkedin.com reddit.com netflix.com paypal.com ebay.com ebay.de ebay.co.uk alibaba.com tencent.com baidu.com yandex-team.ru
  samsung.com sony.com ibm.com oracle.com sap.com salesforce.com adobe.com intel.com amd.com nvidia.com cisco.com dell.com
  hp.com lenovo.com huawei.com siemens.com bosch.com basf.com bayer.com bmw.de bmw.com daimler.com mercedes-benz.com
  volkswagen.de volkswagen.com audi.de porsche.de toyota.com honda.com ford.com gm.com tesla.com boeing.com airbus.com
  ge.com 3m.com pfizer.com novartis.com roche.com merck.com gsk.com sanofi.com jnj.com astrazeneca.com pg.com unilever.com
  nestle.com cocacola.com coca-cola.com pepsico.com mcdonalds.com starbucks.com walmart.com target.com costco.com
  homedepot.com ikea.com hm.com zara.com nike.com adidas.com loreal.com lvmh.com shell.com bp.com exxonmobil.com
  totalenergies.com chevron.com eni.com jpmorgan.com jpmchase.com goldmansachs.com morganstanley.com bankofamerica.com
  citi.com wellsfargo.com hsbc.com barclays.com ubs.com deutsche-bank.de commerzbank.de allianz.com allianz.de axa.com
  visa.com mastercard.com americanexpress.com blackrock.com deloitte.com pwc.com ey.com kpmg.com mckinsey.com bcg.com
  accenture.com capgemini.com infosys.com tcs.com wipro.com dhl.com ups.com fedex.com maersk.com lufthansa.com
  airfrance.fr ryanair.com easyjet.com booking.com airbnb.com uber.com spotify.com zoom.us slack.com dropbox.com
  stripe.com square.com twilio.com atlassian.com mozilla.org mozilla.com wikipedia.org wikimedia.org archive.org
  apache.org debian.org ubuntu.com canonical.com redhat.com gnome.org kde.org python.org nodejs.org w3.org ietf.org
  icann.org iana.org ripe.net un.org unicef.org who.int icrc.org redcross.org greenpeace.org amnesty.org wwf.org bbc.co.uk
  bbc.com nytimes.com theguardian.com washingtonpost.com spiegel.de zeit.de lemonde.fr elpais.com corriere.it reuters.com
  bloomberg.com ft.com economist.com disney.com vodafone.com orange.com telekom.de telekom.com telefonica.com
  verizon.com att.com t-mobile.com bt.com swisscom.com telstra.com.au test.de test.com example.com example.org
  # Companies that lists of free mail mistake for their customers' domains
  comcast.com charter.com cox.com discovery.com ancestry.com about.com space.com oath.com parrot.com medscape.com name.com
  eurosport.com dnsmadeeasy.com joelonsoftware.com swissinfo.org googlegroups.com enel.net law.com adoption.com www.com
  techspot.com socceramerica.net everyone.net detik.com dailypioneer.com naplesnews.net music.com mydomain.com casino.com
  # Companies and sites that lists call disposable
  99.com aver.com beliefnet.com blogs.com myabandonware.com sankakucomplex.com theporndude.com
  # Schools and teaching hospitals outside the reserved names
  ethz.ch epfl.ch unibas.ch uzh.ch kth.se uu.se lu.se ntnu.no uio.no ku.dk au.dk dtu.dk helsinki.fi aalto.fi uva.nl
  tudelft.nl leidenuniv.nl kuleuven.be ugent.be uclouvain.be tum.de kit.edu rwth-aachen.de fu-berlin.de hu-berlin.de lmu.de
  polimi.it unibo.it sorbonne-universite.fr polytechnique.edu ens.fr cnrs.fr inria.fr utoronto.ca ubc.ca mcgill.ca
  uwaterloo.ca csic.es ub.edu uam.es nus.edu.sg
`)

/** Alias services that forward to a permanent mailbox. Some public lists wrongly call them disposable. */
export const RELAY_DOMAINS = words(`
  # Apple Hide My Email, Firefox Relay, DuckDuckGo
  privaterelay.appleid.com relay.firefox.com mozmail.com duck.com
  # SimpleLogin and Proton Pass
  simplelogin.com simplelogin.co simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com 8alias.com 8shield.net
  dralias.com silomails.com passmail.net passmail.com passinbox.com passfwd.com
  # addy.io (AnonAddy)
  anonaddy.com anonaddy.me addymail.com addy.io mailer.me 4wrd.cc
  # Others with accounts behind them
  33mail.com forwardemail.net erine.email alias.email emailalias.io hidemail.app cloaked.id cloaked.email
  relay.cloaked.com shieldedmail.net starmail.net opayq.com blurmail.net ironvestmail.com ivmail.com
  sneakemail.com e4ward.com users.noreply.github.com
  reply.github.com marketplace.amazon.com marketplace.amazon.co.uk marketplace.amazon.de reply.craigslist.org
  hous.craigslist.org sale.craigslist.org serv.craigslist.org
`)
