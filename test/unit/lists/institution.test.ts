import { expect, test } from "vitest"
import { classesAt, table } from "./classes.ts"

test.each(
  table(`whitehouse.gov nasa.gov cityofboston.gov army.mil us.af.mil service.gov.uk hmrc.gov.uk gov.uk mail.gov.br
    sat.gob.mx agenciatributaria.gob.es interieur.gouv.fr gouv.fr pref.gouv.ci meti.go.jp city.lg.jp korea.go.kr
    kemenkeu.go.id ird.govt.nz presidencia.gub.uy bmf.gv.at pm.gov.au nsw.gov.au gov.in mea.gov.in moe.gov.sg met.police.uk
    mod.uk nhs.uk guys.nhs.uk forces.gc.ca canada.ca admin.ch bund.de ec.europa.eu gov.pl mf.gov.pl
    ci.austin.tx.us state.ny.us`),
)("%s belongs to a government", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isGovernment: true, isEducation: false, isDisposable: false })
})

test.each(
  table(`stanford.edu cs.stanford.edu cam.ac.uk ox.ac.uk u-tokyo.ac.jp snu.ac.kr iitb.ac.in uct.ac.za univie.ac.at
    sydney.edu.au nus.edu.sg tsinghua.edu.cn usp.br unam.edu.mx metu.edu.tr pw.edu.pl lausd.k12.ca.us kyoto.ed.jp
    univ-lyon1.fr ac-paris.fr uni-heidelberg.de tu-berlin.de ethz.ch epfl.ch kth.se uio.no ku.dk polimi.it
    unibo.it ugent.be tudelft.nl rwth-aachen.de utoronto.ca mcgill.ca`),
)("%s belongs to a school or university", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isEducation: true, isGovernment: false, isDisposable: false })
})

test.each(
  table(`gov.example.com gouv-services.com edu.example.org government.com education.com military.com ac.com gov-uk.org
    mil-spec.com go.com uni.com univ-shop.com state.com gob-mx.com academy.com notgov.uk ac.me.example.net gmail.com`),
)("%s belongs to no institution", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isGovernment: false, isEducation: false })
})
