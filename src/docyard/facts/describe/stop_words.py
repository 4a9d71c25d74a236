"""Stop words of English, German, French, Spanish, Italian and Dutch."""

from __future__ import annotations

_ENGLISH = """
    a about above after again against all also am an and any are as at be because been before being
    below between both but by can could did do does doing done down during each either else ever
    every few first for from further get give given got had has have having he her here hereby
    herein hereof hereto hers him his how however i if in into is it its itself just last least less
    let like made make many may me might more most much must my neither new no nor not now of off on
    once one only or other others our ours out over own page per please rather same second see shall
    she should since so some such than that the their theirs them then there thereof these they this
    those through thus to too two under until up upon us use used using very was we well were what
    when where whether which while who whom whose why will with within without would yes yet you
    your yours mr mrs ms inc ltd dear would hereinafter pursuant including include
"""
_GERMAN = """
    aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits
    bis bitte bzw da dabei dadurch damit danach dann das dass daß dazu dein dem den denen denn der
    deren des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem
    einen einer eines er es etwa etwas euch für gegen gemäß hat hatte haben hier hin ich ihm ihn
    ihnen ihr ihre ihrem ihren ihrer im in ist ja jede jedem jeden jeder jedes jedoch kann kein
    keine keinen können mehr mein mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr
    sein seine seinem seinen seiner seit sich sie sind so soll sollte sowie um und uns unser unsere
    unter vom von vor war waren was weil weiter welche wenn werden wie wir wird wurde wurden zu zum
    zur zwischen über herr frau seite sofern
"""
_FRENCH = """
    afin ainsi alors après au aucun aussi autre autres aux avant avec avoir c ce cela celle celui
    ces cet cette ceux chaque chez ci comme comment d dans de depuis des deux doit donc dont du elle
    elles en encore entre est et eu être fait faire fois il ils j je l la le les leur leurs lors lui
    m mais me même mes moi moins mon n ne ni nos notre nous on ont ou où par pas peut plus pour
    pourquoi qu quand que quel quelle qui s sa sans se selon ses si son sont sous sur t ta te tous
    tout toute toutes très tu un une votre vos vous y été était page
"""
_SPANISH_ITALIAN_DUTCH = """
    al algo ante antes como con contra cual cuando del desde donde durante el ella ellos en entre
    era es esa ese eso esta estas este esto está fue ha han hasta hay la las lo los más me mi muy no
    nos o otra otro para pero por porque que quien se según ser si sin sobre son su sus también te
    tiene un una uno y ya ad alla anche che chi ci come con da dal dalla degli dei del della delle
    di e ed era gli ha hanno il in io la le lo loro ma nel nella non o per più quale questa questo
    se si sono su sul sulla tra un una uno aan als bij dan dat de deze die dit door een en er het
    hij hun ik in is kan maar meer met mijn naar niet nog of om onder ook op over te tot uit van
    veel voor waar was wat we wel werd wij worden wordt ze zich zij zijn zo zoals
"""
STOP_WORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH_ITALIAN_DUTCH}".split())
