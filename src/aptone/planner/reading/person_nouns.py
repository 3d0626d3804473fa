"""English nouns that mean a person, a man, a woman or a group, and capitalised words that are no names.

They are those that speech tags of at least three authors name ("said the landlord"), and everyday ones of today.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WOMEN = _words(
    "mrs ms miss mother mom mum mama mamma grandmother grandma aunt sister daughter wife girl woman lady queen "
    "princess waitress nurse madam madame duchess actress niece widow bride witch nun landlady hostess countess "
    "maid housekeeper"
)
MEN = _words(
    "mr sir father dad papa grandfather grandpa uncle brother son husband boy man gentleman king prince lord duke "
    "nephew monk landlord bishop widower groom waiter priest clergyman parson fellow butler knight baron emperor "
    "lad"
)
ALSO_WOMEN = _words(
    "mistress baroness governess matron maiden dame spinster hag heroine housemaid handmaiden ladyship mommy "
    "mummy stepmother girlfriend schoolgirl policewoman stewardess empress heiress goddess nanny matriarch "
    "sister-in-law mother-in-law granddaughter stepsister gran granny nana auntie barmaid seamstress priestess "
    "abbess lass ma businesswoman saleswoman chairwoman spokeswoman congresswoman"
)
ALSO_MEN = _words(
    "count vicar earl squire friar abbot wizard barber footman policeman constable sheriff dwarf lordship "
    "coachman chap guy bloke grandson stepfather boyfriend godfather daddy pa youth herr monsieur señor nobleman "
    "huntsman countryman frenchman englishman irishman scotsman dutchman indian chinaman patriarch lieutenant "
    "colonel captain sergeant admiral major skipper boatswain schoolboy father-in-law brother-in-law stepbrother "
    "host sultan caliph khan hero grandad granddad handyman salesman businessman chairman spokesman congressman "
    "fisherman cowboy"
)
EITHER = _words(
    "doctor stranger lawyer officer professor detective chief child inspector clerk companion farmer friend "
    "driver soldier master judge servant general merchant hunter cook keeper leader painter secretary porter "
    "coroner president editor steward surgeon banker teacher student reporter chemist solicitor physician manager "
    "cousin sailor superintendent prisoner guide official preacher innkeeper mate messenger purser artist agent "
    "peasant bailiff newcomer foreman proprietor guard rider overseer pirate engineer jailer guardian attendant "
    "millionaire chauffeur outlaw person invalid chancellor patient gardener traveller traveler owner gaoler "
    "philosopher poet gamekeeper cripple shepherd neighbour neighbor bartender commander veteran operator client "
    "ruffian conductor workman warrior monster gambler giant orator quartermaster tutor photographer passenger "
    "beauty grandmother scientist sage foreigner intruder comrade commissioner sentry villain courtier hermit "
    "collector watchman dealer spouse parent expert kinsman relative kid toddler teenager boss colleague roommate "
    "partner receptionist barista bouncer paramedic firefighter principal coach cop therapist cashier janitor "
    "librarian pilot candidate minister mayor governor senator dragon robot android creature ghost figure critic "
    "dentist counselor counsellor interviewer interpreter translator trainer tourist guest visitor customer baby "
    "apprentice assistant accountant attorney prosecutor marshal ranger warden monarch tramp gypsy hostler groom "
    "housewife lover tyrant victim elder elf goblin wolf fox bear lion cat dog monkey parrot orphan eldest "
    "youngest nobody-else magistrate landowner storekeeper shopkeeper curate rector deacon lodger tenant boarder "
    "boatman cabman ferryman fireman seaman postman milkman headmaster headmistress schoolmaster cabbie caller "
    "buyer seller"
)
OF_TODAY = _words(
    "accomplice acrobat activist actor addict admirer adviser advisor alderman alien ally ambassador anaesthetist "
    "analyst angel angler announcer archaeologist archer architect archivist assassin assessor astrologer astronaut "
    "astronomer auctioneer auditor author baker barkeep barkeeper beautician beekeeper beggar bell-ringer bellboy "
    "bellhop benefactor biologist blacksmith bodyguard bookkeeper bookmaker bookseller bootlegger bosun botanist "
    "boxer breeder brewer bricklayer bridesmaid broadcaster broker builder burglar busker butcher bystander "
    "cabin-boy cadet cameraman camper captor caretaker carpenter cartoonist caterer cellist chairperson chambermaid "
    "champion chaplain chef chimney-sweep choirboy chorister citizen clairvoyant classmate cleaner climber "
    "clockmaker clown co-pilot cobbler columnist commandant commentator commuter competitor concierge conductor "
    "confidant confidante consort consul consultant contestant contractor convict cook copilot corporal cosmonaut "
    "councillor councilman councilwoman courier courtesan croupier curator cyborg cyclist dancer daughter-in-law "
    "deaconess dealer dean deckhand defendant delegate delivery-boy deliveryman demon designer detective-inspector "
    "developer diplomat director dishwasher dispatcher diver donor doorkeeper doorman dragoon dresser dressmaker "
    "drummer drunkard electrician emigrant enchantress enemy envoy ex-husband ex-wife examiner executioner explorer "
    "eyewitness fairy falconer farmhand ferrywoman fiance fiancee fiancé fiancée finalist fisher fishmonger fitter "
    "flatmate flight-attendant florist foreman foreperson forger fortune-teller fundraiser gamer genius geologist "
    "glassblower glazier gnome goalkeeper goddaughter godmother godson grandchild gravedigger great-aunt "
    "great-grandfather great-grandmother great-uncle greengrocer grocer groomsman guitarist gunman gunner "
    "hairdresser hairstylist half-brother half-sister hangman heckler heir helmsman herald hiker historian "
    "hitchhiker holidaymaker honeymooner hostage housemate huntress hussar illustrator immigrant imp informant "
    "informer inmate instructor insurer insurgent intern inventor investor invigilator jester jeweler jeweller "
    "jockey jogger journalist juggler juror kidnapper laborer labourer lancer landowner lawman lecturer lifeguard "
    "locksmith loser lumberjack magician mailman mailwoman manicurist mason masseur masseuse mathematician mayoress "
    "mechanic medic mentor mercenary mermaid merman midwife migrant milkmaid miller miner missionary motorist "
    "mourner mugger navigator navvy newsreader novelist novice ogre onlooker opponent optician organist overseer "
    "paperboy parolee passer-by pastor patron pedestrian pensioner phantom pharmacist physicist pianist pickpocket "
    "pilgrim pioneer pitman plaintiff planner player playmate ploughman plumber poacher politician postgraduate "
    "postwoman potter premier presenter prior prioress prodigy producer programmer protege protester protestor "
    "provost psychiatrist psychologist publican publisher punter pupil radiologist rancher realtor reaper recruit "
    "referee refugee regent retiree robber roofer runner runner-up saboteur scholar schoolmate sculptor settler "
    "sexton shareholder shopper singer skater skeleton skier skipper smith smuggler sniper son-in-law sorcerer "
    "sorceress specialist specter spectre spinner sponsor spy stableboy stablehand stagehand stenographer "
    "stepdaughter stepson stowaway striker stroller stylist subcontractor suitor supervisor supporter surveyor "
    "suspect sweetheart swimmer swindler swordsman tailor taxpayer teammate technician teller thief thinker "
    "townsman trader trainee trapper treasurer triplet troll trooper typist umpire undergraduate understudy "
    "undertaker underwriter usher usherette vagrant valet vampire ventriloquist verger vet veterinarian viceroy "
    "villager vintner violinist volunteer voter walker warder warlock watcher watchmaker weaver welder werewolf "
    "winner witness woodcutter wrestler zombie zookeeper zoologist"
)
"""More of them, mostly of today: short modern stories name many people by their trade only."""
WOMEN_NOUNS, MEN_NOUNS = WOMEN | ALSO_WOMEN, MEN | ALSO_MEN
GROUPS = _words(
    "men women people children boys girls others crowd soldiers guests sisters brothers parents ladies gentlemen "
    "sailors policemen officers guards kids twins couple family audience chorus neighbours neighbors students "
    "villagers workers servants friends passengers strangers cousins daughters sons jury pack gang crew police"
)
PERSONS = WOMEN_NOUNS | MEN_NOUNS | EITHER | OF_TODAY | GROUPS
VOICES = frozenset(("voice", "voices"))
"""They speak, but who has one is somebody else."""

NO_NAMES = _words(
    "the a an and but or so then when while as if in on at to of for from with by not no yes oh well i it he she "
    "they we you his her their my our your this that these those there here what who why how where which nobody "
    "somebody everyone everybody someone nothing something mr mrs ms dr sir miss monday tuesday wednesday "
    "thursday friday saturday sunday january february march april may june july august september october november "
    "december god english french german chinese after before behind outside inside later now still only even just "
    "one two three all both each every another suddenly finally slowly chapter book part once again presently "
    "meanwhile perhaps thus yet indeed never nor neither either such some any many few more most other others "
    "christ heaven heavens lord american americans indian indians european paris london england america france "
    "christmas easter at-last"
)


def described(first: str, words: str) -> str:
    """Return the role of somebody who is only described.

    >>> described("A", "tall  man"), described("her", "father")
    ('the tall man', 'her father')
    """
    own = first.lower()
    return f"{own if own in ('his', 'her', 'my', 'our', 'their') else 'the'} {' '.join(words.split())}"
