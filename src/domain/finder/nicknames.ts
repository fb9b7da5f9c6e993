/** Short forms that occur in addresses: the full names, then their short forms. Latin letters, folded. */
export const NICKNAMES = `
alexander alexandra: alex sasha sandy xander alec
alexandre: alex
aleksandr oleksandr: alex sasha
andrew andreas andrei andrey: andy drew
anthony antonio anton: tony toni
barbara: barb babs
benjamin: ben benny
bernhard bernard: bernd bernie
catherine katherine kathryn katharina ekaterina: kate cathy kathy katie katja katya
charles: charlie chuck
christian christopher christoph: chris kit
christina christine kristina: chris tina christy
daniel daniela danielle: dan danny dani
david: dave
deborah: deb debbie
dmitry dmitriy dmitri: dima
donald: don
edward eduard: ed eddie ted
elizabeth elisabeth: liz beth lisa eliza betty lizzie
francis francisco franz: frank paco fran
frederick friedrich: fred fritz
gabriel gabriela gabriele: gabe gabi
geoffrey: geoff
gerald gerhard: gerry gerd
gregory grzegorz: greg
guillermo: memo
henry heinrich: harry hank heinz
ignacio: nacho
jacob jakob: jake
james: jim jimmy jamie
janet: jan
jeffrey: jeff
jennifer: jen jenny
jessica: jess
johannes: hans jo
john: jack johnny jon
jonathan: jon
joseph josef: joe sepp
jose: pepe
joshua: josh
judith: judy
kenneth: ken
kimberly: kim
lawrence: larry
leonard leonardo: leo len
louis: lou
magdalena: magda lena
malgorzata: gosia
manuel emanuel: manu
margaret margarete: maggie meg peggy greta
martin: marty
matthew matthias matteo: matt
maximilian: max
megan: meg
michael mikhail michal: mike mick misha
miguel: mike
mohammed mohamed muhammad: mo
natalia natalie natalya: nat natasha
nicholas nicolas nikolaus nikolai: nick nico niko klaus
olivia oliver: oli ollie liv
pamela: pam
patricia: pat tricia patty
patrick: pat paddy
peter: pete
philip philipp phillip: phil
rachel: rach
raymond: ray
rebecca: becky bec
richard: rick dick rich
robert roberto: rob bob bobby bert
ronald: ron
samuel samantha: sam
sebastian: seb basti
sergey sergei: serge
stephen steven stefan stephan: steve stef
susan susanne: sue susi
svetlana: sveta
theodore theodor: theo ted
thomas tomasz: tom tommy
timothy: tim
tobias: tobi
ulrich: uli
valentina valentin: val
veronica veronika: vero
victoria viktoria: vicky vic
vincent: vince vinnie
vladimir volodymyr: vlad vova
walter: walt
william wilhelm: bill will billy willi
wolfgang: wolf
yevgeny yevhen evgeny: zhenya eugene
zachary: zach zack
`
