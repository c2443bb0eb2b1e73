"""How English says that something holds from then on: what must be, what must not, what was decided
(docs/adr/0167-rules-in-plain-words.md).

`text/wordings.py` says how a line is read.
"""

from contextwright.text.wordings import Phrasing, Wordings

RULES = Wordings(r"""
# what must be, and what must not
= must mustn't shall shouldn't never always
\b(?:must|mustn't|shall|shouldn't|never|always)\b
= should ought
\bshould (?:not|only)\b|\bshould (?:all )?be (?:in|at|below|above|within)\b(?! my\b)
\b(?:should|ought to) (?:be \w+(?:ed|en|able|ible)|follow|match|contain|suit|include|stay)\b
\b(?:should|ought to) (?:end|start|begin|work) (?:in|on|with)\b
= all_costs no_matter whatever circumstances exception exceptions exceed in_mind make_sure be_sure
\b(?:at all costs|no matter what|whatever happens|whatever you do|under no circumstances)\b
\b(?:without exception|no exceptions|not (?:to )?exceed|(?:keep|bear) in mind|(?:make|be) sure)\b
= required mandatory compulsory obligatory negotiable constraint requirement limit cap
\b(?:required to|mandatory|compulsory|obligatory|non[- ]negotiable|constraint|requirement)\b
\bhard (?:limit|cap)\b
= important essential crucial vital imperative no_point full_stop exclusively
\b(?:essential|crucial|vital|imperative) that\b|\bimportant (?:that you|to (?:me|us) that)\b
\bat no (?:point|other)\b|\bfull stop\b|\bexclusively\b
= has_to have_to need_to needs_to
\b(?<!the )(?:need|have) to (?:be|stay|remain|pass|support|contain|match|fit|include|respond)\b
\b(?:needs|has) to (?:be|stay|remain|pass|support|contain|match|fit|include|respond)\b
\b(?:needs|has) to (?:start|begin|end|sign|approve|review|agree|use|go through)\b
\b(?:needs?|has|have) to (?:return|follow|finish|(?:run|work) (?:on|in|with|without))\b
\b(?:needs|has) to \w+ [^,.;]*\bor (?:else|it|they|we|you)\b
= everything want_all need_all want_every need_every want_each need_each write_all write_every
\beverything (?:needs|requires|goes through)\b|\b(?:i|we) (?:want|need) (?:all|every|each)
^do everything without\b|STARTwrite (?:everything|all \w+|every \w+) (?:in|into|to)\b
= needs requires gets goes_through
START(?:every|each|all|any) [^,;.]{2,40} (?:needs|requires|gets|goes through)\b
= in_every for_every with_every on_every in_each for_each with_each on_each
\b(?:in|for|with) (?:every|each) (?:answer|response|reply|file)\b
\b(?:i|we) (?:need|want) .* (?:for|on|in|with) (?:every|each)\b
= nothing nowhere
\bnothing (?:\w+ ){0,2}(?:may|can|should)\b
(?:START|: )nothing (?:gets|goes|from|over|near|touches|leaves|enters|changes|runs)\b
\b(?:nothing but|nothing else may|nowhere else)\b
# what is allowed, and to whom
= allowed permitted forbidden prohibited banned limits embargo code_freeze
\b(?:(?:not |n't |only )allowed|allowed to|permitted|forbidden|prohibited|banned|off[- ]limits)\b
\b(?:embargo|code freeze)\b
= confidential required read frozen untouched unchanged as_is as_it as_they
\b(?:is|are|stays?|remains?) (?:strictly )?(?:confidential|required|read[- ]only|frozen|as is)\b
\b(?:is|are|stays?|remains?) (?:untouched|unchanged|as (?:it is|they are))\b
COMMANDleave (?:\S+ ){1,10}?(?:untouched|unchanged|as (?:it|they))\b
= nobody no so_no
\b(?:nobody|no one|no-one)\b.* (?:may|should|is to|gets)\b|\bno-go\b|STARTabsolutely no\b
(?:START|[:,;] (?:and )?)no (?:[\w-]+ )?[\w-]+ (?:before|after|without|during|until)\b
STARTno [\w-]+ (?:over|above|allowed)\b|STARTno [\w`'-]+ (?:in|on|at) [\w ]+\bplease\b
\bno (?!need|more|problems?|issues?|errors?|trouble|idea|time|reason)[\w -]+ any ?more\b
START(?:nobody|no one) \w+s .*(?:before|after|without|until|unless|but|except)\b
STARTno (?:[\w-]+ ){0,2}[\w-]+(?:s|ing)\b|\bno [\w ]+ can be \w+ed\b
\bno (?:more|less|fewer|later|longer|earlier) than\b|, so no(?:thing)? \w+
= can_not can_only can't cant cannot may_not may_only shall_not won't not_go spend pay
STARTyou (?:can'?t|cannot|can not|may not|can only)\b|\bmay only\b|STARTcannot \b
\b(?:can't|cannot|may not|shall not) be (?:\w+er|more|less|above|below|changed|shared|copied)\b
\b(?:can't|cannot) be (?:modified|edited|combined|moved|mixed|refunded|exchanged|disclosed|stored)\b
\b(?:may|can) (?:not|only) be \w+(?:ed|en)\b
\bcan't (?:be|go|run|take) (?:\w+ )?(?:lower|higher|longer|shorter|over|above|below|under)\b
\bwe (?:can't|cannot|may not) (?:store|use|share|accept|send|keep|ship)\b
\b(?:can|may) (?:only )?(?:spend|pay) (?:up to|at most|only)\b
\b(?:can'?t|cannot|won't|not) (?:spend|pay|exceed|go (?:over|above))\b
\b(?:i|we) (?:can't|cannot|won't) (?:fly|eat|drink|travel|drive|accept|do .* before)\b
= not
\byou(?:'re| are) not (?:to|supposed to)\b|\b(?:is|are) not (?:to be \w+ed|yours to)\b
\b(?:is|are) not acceptable (?:in|for|on)\b|\bwe \w+ .*\bbut not [a-z]+[.!]*$
^(?:the |our )?[\w ]{3,40} (?:does not|do not) (?:change|count|move|apply|ship)\b
COMMANDdo not\b|\bwe do not (?:use|support|accept|allow|ship|deploy|merge)\b
, (?:and )?not (?:an? |the |from )?[\w.%$`'\"-]+[.!]*$|\b\w+s,? not \w+s\b
\bwe (?:use|write) [^.,;]{2,40}, not\b
= let's_keep lets_keep
\blet'?s keep (?!it up|up|going|on|at|in touch|each other|\w+in[g'])\S
= you_not
STARTyou not (?:to )?(?!able|sure|only|even|just|gonna|going)[a-z]+(?<!ed)(?<!ing) \S
= habit
\bmake (?:it )?a habit (?:to|of)\b|\bget in(?:to)? the habit of\b
= to_see to_find to_have to_read to_hear
\b(?:i|we) (?:don't|dont|do not) want to (?:see|find|have|read|hear) \S.* (?:in|on|at)\b
= don't dont avoid refrain refuse
COMMAND(?:don't|dont|avoid|refrain from)\b|\b(?:i|we) (?:don't want any|refuse to)\b
\bi don't (?:fly|eat|drink)\b|\bwe avoid \w.* here[.!]*$
\bwe (?:avoid|don't) (?:use|support|accept|allow|ship|deploy|merge)\b
= is_to are_to
\b(?:is|are) to (?:be (?:left|\w+(?:ed|en)|\d+)|end) \w
= out
^(?:\w+ ){1,5}(?:is|are) (?:strictly )?out\b(?! of| there| here| in| now)
= stops stop refuse cap
(?:START|^seriously, )stop \w+ing\b|STARTrefuse\b|STARTcap\b
= intact blank exactly_as
COMMANDleave (?:\S+ ){1,12}?(?:intact|blank|exactly as)\b
= stays stay keeps
\bstays? (?:below|above|under|within|pinned)\b|\bkeeps its \w+\b
= what_i what_we
STARTwhat (?:i|we) (?:don't|do not|never|always) (?:want|need|like)(?: to \w+)? (?:is|are) \S
= stay leave keep treat
COMMANDstay (?:under|below|within|away|off|out of)\b
COMMANDleave (?:\S+ ){1,10}?(?:alone|in place|to \w+[.!]*$)
COMMAND(?:treat (?:all|every|each)|keep (?:it|that|them) (?:like|this|that|in|consistent))\b
STARTkeep\b|STARTtreat\b
= use remember stick assume refer_to make_no mention_no future hands_off ensure prefer
START(?:remember|stick (?:to|with)|use|assume|refer to|(?:make|mention) no)\b
START(?:hands off|ensure|prefer)\b
STARTin (?:the )?future\b|\bplease\b.* in (?:the )?future\b
= an_option no_other hold
\bnot an option\b|\bat no other\b|\b(?:legal|litigation) hold\b
= for_any for_anything for_everything for_every for_each
STARTfor (?:anything|everything|any|every|each) [^,.]{2,60} (?:first|always|only)\b
= reach call contact address
\b(?:reach|call|contact) me (?:only |before |after |between |on |by )
STARTaddress (?:me|us) (?:as|by|with)\b
= limit restrict exclude preserve permanently ignore
START(?:limit|restrict|exclude|preserve|permanently)\b|STARTignore\b.*\bfrom\b
= only
STARTonly\b|^[^,;:]{3,50} only(?:,.*)?[.!]*$|\byou(?:'re| are) only to\b
\bi only (?:want|fly|drink|eat|use|read|buy|take|wear|speak)\b
\bwe only (?:use|support|accept|allow|ship|deploy|merge)\b
# who is asked first
= ask_me ask_us check_with consult notify tell inform warn before_you
\b(?:ask|check with|consult|notify|tell|inform|warn) (?:me|us) (?:first|before)\b
\b(?:ask|check with|consult|notify|tell|inform|warn) (?:me|us)\b.* (?:first|before you)\b
^before you [^,]+, (?:please )?(?:ask|check|show|tell|let|confirm|verify|make)\b
START(?:ask|check with|consult|notify|tell|inform|warn) [a-z]+ before you\b
= before
^before [^,]{3,60}, (?:please )?(?:ask|check|show|tell|let|confirm|verify|make|take|run|get)\b
= approval permission consent sign signoff wait_for
\b(?:needs?|requires?|without|get) (?:my|our|explicit|prior|written) (?:approval|permission)\b
\b(?:needs?|requires?|without|get) (?:my|our|explicit|prior|written) (?:consent|sign-?off)\b
\brequires? .*\b(?:approval|permission|consent|sign-?off)\b|\bwait for my\b
= ok okay sign signoff go_ahead go-ahead blessing
\b(?:needs?|requires?) (?:\S+ ){1,3}(?:ok|okay|sign-?off|go[- ]ahead|blessing)\b
= over above below under beyond more_than
\b(?:over|above|below|under|beyond|more than) \S*\d\S*(?: \w+){0,3} (?:needs?|requires?)\b
= policy policies legal law insurance contract guide guidelines style regulations gdpr compliance
\b(?:polic(?:y|ies)|legal|law|insurance|contract|guide|style) (?:says?|wants?|requires?)\b
\b(?:polic(?:y|ies)|legal|law|insurance|contract|guide|style) (?:forbids?|avoids?)\b
\b(?:guidelines|regulations|gdpr|compliance) (?:say|want|require|forbid|demand|prohibit)s?\b
= obliged bound
\bwe(?:'re| are) (?:obliged|bound) to\b
= without
^without [^,]{3,60},? (?:we|you|there(?:'s| is)|nothing|no)\b
= flag notify revert warn stop ask tell
^(?:if|when|whenever) [^,]+, (?:please |you have to )?(?:ask|flag|notify|revert|stop|tell|warn)\b
= else otherwise
\b(?:if|when|unless)\b.*[,;:.] ?(?:and |or )?(?:else|otherwise)\b
= only_if only_when only_once
\bonly (?:if|when|once)\b
= hand escalate wake leave
^(?:if|when|whenever) [^,]+, (?:please )?(?:hand over|escalate|wake|leave)\b
# from when on, and how long
= from_now from_here from_this from_today
\bfrom now on\b
(?<!s )(?<!day )(?<!week )(?<!year )(?<!month )(?<!hour )\bfrom now,? (?:we|you|it)\b
\bfrom (?:here|this point|today|this moment) on(?:wards?)?\b
= starting henceforth notice unless until the_rest remainder whenever forward rule
\b(?:starting (?:now|today)|henceforth|until further notice)\b|\b(?:unless|until) i (?:say|tell)\b
\bfor the (?:rest|remainder) of (?:this|the session|the conversation|the chat|the project)\b
\bwhenever you\b|^whenever [^,]+, |STARTgoing forward,
\b(?:as a (?:general )?|house |ground )rule\b|\brule is\b
= you_write you_send you_draft
\b(?:whatever|everything) you (?:write|send|draft)\b
# how much
= at_most at_least
\bat (?:most|least) (?:\d|an? |one|two|three|four|five|six|seven|eight|nine|ten|half|once|twice)
= maximum minimum the_max budget deadline limit quota threshold capped limited insist insists per
\b(?:maximum|minimum|the max|budget|deadline|limit|quota|threshold)(?: \w+){0,4} (?:is|are|of)\b
\b(?:capped at|limited to|(?:i|we) insist|insists? (?:on|that))\b
= per each at_a
^(?:one|two|three|four|\d+) [\w -]+ (?:per \w+|each,|at a time)\b
= ceiling tops_out
\bceiling\b.*\d|\d.*\bceiling\b|\btops out at\b
# a name in front of a rule
= rules
START(?:\w+ )?rules(?: for [\w ]{2,20})?: \w
= rule constraint policy guideline restriction convention budget deadline limit important reminder
START(?:[\w-]+ ){0,2}(?:rule|constraint|policy|guideline|restriction)(?: #?\d+)?:
START(?:[\w-]+ ){0,2}(?:convention|budget|deadline|limit|important|reminder):
= max maximum min minimum style format tone language scope audience currency units
START(?:(?:max|min)(?:imum)?(?: \w+){0,4}|style|format|tone|language|scope|audience|units|currency):
# what somebody is like, or likes
= allergic allergy allergies vegan vegans vegetarian vegetarians diabetic intolerant
\b(?:allergic|allerg(?:y|ies) to|\w+ allergy)\b
(?:\bam|'m|\bis|\bare|'re) (?:an? |strictly )?(?:vegans?|vegetarians?|diabetic|\w+[- ]intolerant)\b
= wheelchair celiac coeliac lactose screen
\b(?:i|i'm|my|she|he|her|his|our)\b.*\b(?:wheelchair|screen reader|coeliac|celiac|lactose(?!-))\b
= color-blind colour-blind colorblind colourblind dyslexic dyslexia pregnant asthma
\b(?:i|i'm|my|she|he|her|his|our)\b.*\b(?:colou?r-?blind|dyslexi[ca]|pregnant|asthma)\b
= expect like_all like_every like_each
\bi expect (?:an? |every |each |all )|\bi(?:'d| would) like (?:all|every|each)\b
= utc metric kebab snake pascal camel yyyy
\bin (?:utc|metric|(?:kebab|snake|pascal|camel)[- ]case)\b|\byyyy-mm-dd\b
\b(?:snake|pascal|camel) case for\b
= kosher halal gluten prefer rather like_you
\b(?:kosher|halal|gluten[- ]free)\b.* (?:please|for me)\b|\b(?:i|we) prefer\b
\b(?:i|we)(?:'d| would) (?:rather (?:not|you|have|use|keep)|like you to)\b
# how it is done here, and how it is answered
= answer reply respond speak uses
START(?:answer|reply|respond|speak)(?: \w+){0,2} (?:in|with|as)\b
\bth(?:is|e) (?:project|repo|repository|codebase|site) uses\b
""")
_PAST = (
    r"(?:been|had|got|gone|done|made|said|felt|thought|known|knew|seen|saw|left|lost|found|met"
    r"|heard|taken|told|given|was|were|did|would|could|\w{2,}ed)"
)
"""A verb that tells what was."""
NO_RULE = Phrasing((
    # a promise, and what somebody wishes to be sure of
    r"\b(?:i|we)(?:'ll| will) (?:be sure|make sure|keep|remember|always|never)\b",
    r"\bto (?:be|make) sure\b",
    # a guess
    rf"\bthere must be\b|\bmust(?:'ve| have) {_PAST}\b|\ba must\b|\bthere has to be\b",
    r"\bmust be (?:so|such|really|very|pretty|quite|awesome|amazing|great|nice|cool|fun|tough)\b",
    r"\b(?:you|that|i) must (?:really|love|enjoy|feel|look|sound|mean|admit|say|confess)\b",
    r"\bmust (?:think|be (?:hard|tired|joking|kidding|busy|right))\b",
    # what was, what somebody is like, and what one says by the way
    rf"(?<!\bis )(?<!\bare )(?<!\bbe )\b(?:always|never) {_PAST}\b",
    r"\b(?:always|never) (?:know|there for|here for|mind|seems|makes|good|great|nice|fun|\w+ing)\b",
    r"'(?:ve|m|s|d|re) (?:always|never)\b(?! (?:to|ok|okay|allowed|acceptable)\b)",
    r"\b(?:am|have|has|had|was|were|been|as|he|she) (?:always|never)\b(?! (?:to|ok|allowed)\b)",
    r"\b(?:they|it|who|there) (?:always|never)\b(?! (?:to|ok|okay|allowed|acceptable)\b)",
    r"\bwould (?:never|always)\b|\bi always (?:forget|wonder|thought|feel|get)\b|\bcan always\b",
    r"\b(?:shouldn't (?:say|have|be (?:a|an|any|too))|how \w+ (?:it|that|this) must)\b",
    r"(?:n't|\b(?:i|we|he|she|they|really|just|also|not|will|would|to)) (?:needs?|has|have) to",
    r"\b(?:i|you|we|he|she|they|it|that|this|there|what) (?:should|ought to) be\b",
    r"\b(?:has|have|needs?) to be (?:done|something|able)\b|\b(?:has|have|needs?) to be\W*$",
    # talk of rules
    r"\b(?:requirements|constraints|requirement already|never[- ]ending|will be required to)\b",
    r"^(?:just )?keep (?:it up|up|going|at it|on|learning|trying|(?:me|us|you) posted|in touch)\b",
    r"\b(?:don't|dont|do not) (?:worry|know|think|believe|get me wrong|give up|mention it)\b",
    r"\b(?:don't|do not) (?:you|we|i|they|have|see|understand|care|hesitate)\b",
    r"\b(?:don't|do not) (?:need|like)\b(?! (?:is|are) )",
    r"\b(?:don't|do not) want\b(?! (?:is|are) | to (?:see|find|have|read|hear) .* (?:in|on|at)\b)",
    r"\b(?:can't|cannot) (?:imagine|believe|wait|help|go wrong|beat|really|even|see|think|say)\b",
    r"STARTno (?:problems?|worries|thanks|regrets|hard feelings|\w+ issues?|\w+ questions)\b",
    r"STARTno (?!more|less|fewer|matter|later)[\w -]+ (?:found|yet|here|left|was|were|so far)\b",
))  # fmt: skip
"""What has the wording of a rule, and is none."""
DECISIONS = Wordings(r"""
= decided decision agreed settled chosen opted ruled rule_out voted vetoed resolved
\b(?:decided|decision|agreed|settled (?:on|for)|chosen|opted (?:for|to)|resolved to|vetoed)\b
\b(?:ruled? out|voted (?:for|against))\b|\b(?:that's|it's|is|are|be) settled\b
= go_with going_with went_with ahead_with sticking_with proceeding_with go_for going_for gone_for
\b(?:go|going|went) with\b|\bgo(?:ing|ne)? for the\b|\bgone for\b|\bgoing ahead with\b
STARTgo ahead with (?!th(?:e|at|is|ese|ose)\b|it\b)|^(?:sticking|proceeding) with\b
= wins won got
\bwins over\b|, (?:and )?(?!i\b|we\b|they\b|he\b|she\b)\S+ (?:got it|won)[.!]*$
= consensus verdict compromise conclusion concluded landed made_up change_of plan_now
START(?:consensus|verdict|compromise|change of plans?)\b[^:]{0,30}:
\b(?:consensus|verdict|compromise)\b.* (?:was|is) to\b|\bcame to the conclusion\b
\bwe(?:'ve| have) (?:concluded|landed on)\b|\bmade up my mind\b|\bthe plan now is\b
= off_the being dropped
\b(?:is|are) (?:off the table|being retired|dropped from)\b
= greenlit nod ahead green said_yes
\b(?:greenlit|said yes to|(?:gave|got) (?:\w+ )?the (?:nod|go-ahead|green light))\b
= final favor favour turned signed scratch scrap convinced settles lock locked
START(?:ok(?:ay)?|alright),? final:|STARTsigned off:
\b(?:final choice|in favou?r of|turned down|signed off on|scratch that|convinced me)\b|STARTscrap\b
\b(?:that settles it|lock(?:ed)? (?:it|that) in)\b
\b(?:that's|it's|is|are|be) (?:final|locked in)\b
= the_plan our_plan
\b(?:so|and) that(?:'s| is) (?:the|our) plan\b
= is_confirmed i_confirm mind_is
\b(?:is confirmed|i confirm the|mind is made up)\b
= choice pick as_discussed winner
\b(?:our|my|the) (?:choice|pick) (?:is|was)\b|\b(?:is|that's) my choice\b
\bas discussed\b|\bthe winner is\b
= let's
\blet's (?:use|stick with|stay with|go for|switch to|not|call (?!it a)|postpone|drop|skip|scrap)\b
\blet's (?:settle|standardi[sz]e)\b
= we'll i'll we_will i_will we_shall we_won't
\bwe(?:'ll| will| shall) (?:use|keep|stay|go for|stick with|switch|treat|adopt|go by)\b
\bwe (?:won't|will not) (?:use|support|keep|ship|renew|be \w+ing)\b
\b(?:i|we)(?:'ll| will) (?:(?:take|go for|have) (?:the|option|number)|stick with|pass on)\b
= instead_of in_place ended_up ditch
^instead of [^,]{2,40},? we(?:'ll|'re| are| will)\b|\b(?:i'm|we're) \w+ing\b.* in place of\b
\b(?:i|we) ended up (?:choosing|using)\b|\b(?:i|we) ditch\b
= ditching adopting retiring moving
\b(?:we|i)(?:'re|'m| are| am) (?:ditching|adopting|retiring|moving to)\b
= moved_off moved_away moved_from switched_to switched_from
\b(?:we|i)(?:'ve| have) (?:moved (?:off|away|from)|switched (?:to|from))\b
= is_now are_now
\b(?:name|title|owner|lead|default|target)s? (?:is|are) now\b
= dropping switching to_use passing killing keeping sticking choosing skipping replacing
(?<!that )(?<!which )\b(?:we|i)(?:'re|'m| are| am) (?:dropping|switching to|going to use)\b
\b(?:we|i)(?:'re|'m| are| am) (?:passing on|killing|keeping the|sticking with|replacing)\b
\b(?:we|i)(?:'re|'m| are| am) (?:choosing|skipping)\b
= chose picked selected concluded accept committed
\b(?:i|we|they|team|board) (?:chose|picked)\b(?! (?:to|up|out|on|it|them|this|that|me|him|her)\b)
\b(?:i|we|they|team|board|i've|we've) (?:selected|concluded|accept (?:the|their))\b
\bchose (?:the|an?) \w+|\bpicked \w+ (?:for|over|as)\b|\b(?:was|were) selected[.!]*$
\b(?:i|we|i've|we've|have|has) committed to\b
= approved rejected accepted declined
\b(?:i|we|they|team|board|client|customer|committee) (?:approved|rejected|accepted|declined)\b
\b(?:has|was|were|got|is) (?:approved|rejected|accepted|declined)\b
= decision agreed chosen selected approach choice resolution verdict final call_result
START(?:[\w-]+ )?(?:decision|agreed|chosen|selected|approach|choice)(?: #?\d+)?:
START(?:[\w-]+ )?(?:resolution|verdict|final|final call|call result)(?: #?\d+)?:
= approved confirmed settled rejected resolved agreed
(?:START|^\w+, )(?:approved|confirmed|settled|rejected|resolved|agreed|it's settled)[:,]
= it_is then no_to not_the
^(?:ok(?:ay)?|fine|alright|hmm),? (?!.*\b(?:see|bye|let|no|well|do|go|book)\b)[^?]{4,50} then[.!]*$
^(?!.*\b(?:what|how|who|that|as|here|yes|yeah|indeed|know|if|is)\b.*\bit is)(?:\S+ ){2,7}it is[.!,]
^(?:ok(?:ay)?|fine|alright|good),? (?!see|bye|thanks|then|well|just)[\w.-]+ then[.!]*$
^(?:[\w ]{2,12}, )?(?!what|how|who|where|th|as\b|ye|no\b|sure|here|it\b|well\b)[\w.-]+ it is[.!]*$
^option \w+ it is\b|^no to (?:the|an?)\b|^(?:no, )?not the [^,]+, the\b
""")
"""What settles something; anybody may say it."""
