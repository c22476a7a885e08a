package claim

// evaluations say how good, bad, lawful, safe or honest something is, or accuse somebody: what a source does not say of its
// own accord is nobody's to add, however the rest of the sentence is put. By stem.
var evaluations = stems(`
 unsafe dangerous hazardous perilous deadly lethal fatal toxic poisonous harmful harmless risky reckless careless negligent negligence safe secure insecure vulnerable weak
 illegal unlawful illicit criminal crime criminals lawless unconstitutional legal lawful banned forbidden outlawed stolen smuggled
 corrupt corruption bribe bribes bribed bribery fraud fraudulent fraudster scam scammer swindle swindler crook crooked embezzle embezzled embezzlement launder laundered laundering mafia mobster gangster racketeer
 extort extortion blackmail bogus fake faked fakes forged forgery counterfeit hoax sham phony phoney fabricated falsified manipulated rigged doctored plagiarised plagiarized plagiarism
 lie lied liar lying dishonest deceitful deceptive misleading mislead misled deceive deceived cheat cheated cheating cheater false untrue bogus
 secret secretly covert covertly clandestine hidden concealed undisclosed shady dubious suspicious questionable notorious infamous disgraced discredited scandal scandalous disgraceful shameful shameless
 controversial controversially disputed contested polarising divisive embattled beleaguered troubled ailing struggling failing failed bankrupt insolvent worthless useless pointless
 terrible horrible awful dreadful disastrous catastrophic disaster catastrophe tragic appalling horrific atrocious abysmal dismal poor poorly bad badly worse worst ugly hideous disgusting filthy squalid
 good better best great greatest excellent outstanding superb brilliant magnificent wonderful fantastic amazing spectacular stunning impressive remarkable extraordinary exceptional perfect flawless ideal
 beautiful gorgeous beloved legendary iconic celebrated acclaimed renowned famous prestigious famed popular unpopular hated despised feared
 successful successfully unsuccessful triumphant triumph groundbreaking revolutionary pioneering innovative visionary genius cutting-edge obsolete outdated
 evil wicked cruel brutal brutally vicious ruthless savage barbaric inhumane immoral unethical amoral depraved sadistic abusive abuse abused violent violently violence murderous murderer killer rapist
 terrorist terrorism extremist extremism radical fanatic fanatical racist racism sexist sexism misogynist bigot bigoted fascist nazi xenophobic antisemitic homophobic
 unfair unfairly unjust unjustly biased prejudiced discriminatory discriminate exploitative exploit exploited greedy selfish arrogant incompetent inept stupid foolish idiotic absurd ridiculous insane crazy mad lazy
 irresponsible unreliable untrustworthy unqualified unprofessional amateurish sloppy shoddy substandard defective faulty flawed broken unstable
 miraculous miracle magical cure proven unproven scientific unscientific pseudoscientific debunked
 illegitimate unauthorised unauthorized rogue renegade traitor treason treacherous betray betrayed conspiracy conspire conspired collude colluded collusion sabotage sabotaged cover-up
 polluted polluting contaminated infested infected diseased rotten tainted adulterated
 expensive overpriced costly cheap lavish extravagant wasteful wasted unnecessary excessive outrageous shocking alarming worrying disturbing
 unprecedented historic crucial vital essential indispensable unique superior inferior
 addictive drunk drunken intoxicated
 unwilling unwillingly reluctant reluctantly grudgingly happily proudly eagerly desperately furious furiously angry angrily outraged
 massive devastating crippling massively severely drastic drastically dramatically
`)
