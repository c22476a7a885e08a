package claim

// light are words that a rewording brings along and that say nothing of their own: verbs that only join, names of what
// any text has, when and where words, words of reporting.
var light = set(`
 leave leaves left live lives lived living receive receives received carry carries carried
 become becomes became come comes came go goes went get gets got take takes took taken make makes made give gives given gave put puts keep keeps hold holds held stand stands stood
 lie lies lay serve serves served remain remains remained include includes included including contain contains contained consist consists comprise comprises comprised feature features featured
 involve involves involved exist exists existed occur occurs occurred happen happens happened appear appears appeared base based locate located situated place places placed set sets
 name names named call calls called know known title titled entitled describe describes described refer refers referred consider considered define defined mean means meant
 use uses used using work works worked see seen found find finds show shows shown showed follow follows following followed lead leads
 represent represents represented concern concerns regard regarding relate relates related
 year years month months week weeks day days hour hours minute minutes time times date dates period periods decade decades century centuries age ages moment today now currently recently ago later earlier
 since once then next last previous previously former subsequently afterwards eventually initially originally finally first second third
 part parts piece number numbers amount amounts total level levels rate rates figure figures value values share degree kind kinds type types sort form forms case cases way ways thing things
 area areas place region world country countries side point
 people person persons man men woman women human someone somebody anyone everyone individual individuals member members group groups
 study studies paper article articles report reports reported reporting source sources text author authors writer page website data result results finding findings information example
 say says said saying state states stated according note notes noted write writes wrote written mention mentions mentioned tell tells told add adds added explain explains explained announce announced announces
 claim claims claimed describe suggest suggests suggested argue argues argued indicate indicates indicated estimate estimated estimates
 also additionally furthermore moreover respectively overall namely specifically particular particularly especially general generally approximately roughly nearly almost exactly
 different certain various respective able due order addition fact term terms top end start begin began begins beginning started starting own whole both two one
 increase increased decrease decreased high low long short large small big great new old good
 need needs needed help helps helped want let try provide provides provided allow allows allowed like near together alone away back instead
 compare compares compared comparison measure measures measured count counted reach reaches reached
 person's mr mrs ms dr sir
`)

// lightOfFigures are words that a claim computes or reads out of figures.
var lightOfFigures = set(`majority minority half halves halved halve quarter third double doubled doubles doubling twice triple tripled thrice fold dozen dozens hundreds thousands millions billions
 average mean total sum combined altogether difference increase increased increases rise rose risen rising grow grew grown growth fall fell fallen drop dropped decline declined decrease decreased reduce reduced
 reduction higher lower larger smaller longer shorter more fewer less up down annual annually yearly percent percentage proportion ratio height width length depth weight tall wide deep high long old age aged
 lasting lasted lasts cost costs costing priced worth size`)

// foreignScaffold holds the sentences of other languages together, besides foreignWords.
var foreignScaffold = set(`er sie es wir ihr ich man wird werden worden hat haben hatte hatten sein war waren bin als auch aber oder wenn dass daß wie noch nur schon sehr über unter vor bei durch gegen ohne um zu
 seit bis diese dieser dieses jene jener welche welcher seine seiner ihre ihrer ihren seinen seinem kann können konnte muss müssen soll sollen will damals dort hier
 il elle ils elles ce cette ces son sa ses leur leurs été est était étaient sont avait ayant ont avoir être comme mais ou donc où dont sous entre vers chez sans plus très aussi
 ha han fue fueron era eran ser es está están como pero más muy también sobre entre hasta desde cuando donde sin este esta estos estas ese esa esto lo le les sus
 è sono stato stata stati state era erano ed ma anche come dal dalla nel nella sul sulla gli uno suo sua
 is zijn was waren werd werden heeft hebben had maar ook als dan die dat deze door bij uit over naar
 é são foi foram ser está pelo pela pelos pelas na no nas ao aos mais também como mas
 d l j n s c qu m t`)
