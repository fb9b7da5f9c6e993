import { words } from "../word-table.ts"

/**
 * Honest domains that public lists of disposable domains contain, or that a poisoned list would contain: forwarders,
 * senders, registries of shared names, large sites. The allow-list is this, FREE_CORE and RELAY_DOMAINS.
 */
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
