"""What a user says beside what they ask for: "Set up the build. Our runners are ARM only." A
request is over when it is answered; a remark may hold on. Nobody foresees in which words, so that
what is none is told by its words, in English, and all else is one
(docs/adr/0178-remarks-outlive-steps.md)."""

import re
from collections.abc import Sequence

from contextwright.memo.ownership import cached_text
from contextwright.text.languages import is_english, is_foreign
from contextwright.text.pasted_text import own_words
from contextwright.text.search_terms import STOP
from contextwright.text.sentences import sentences
from contextwright.text.wordings import Wordings, any_of, small_text

MAX_REMARK, MAX_MESSAGE = 240, 1_200
"""Characters of a remark, and of a message that may have some: a longer one is a page that somebody
pasted, or a brief."""
MOST = 6
"""Remarks of one message."""
LEAST_WORDS = 2
"""Words that tell something, at least."""
LEAST_PROSE = 3
"""The same beside names of code, paths and amounts."""
QUESTION = 200
"""Characters at the end of an agent's words that tell whether it asks for something."""
_BREAK = re.compile(r"(?<=[a-z0-9)][.!?;]) +(?=[a-z`])|(?<=\w\?) +|; +| +[\u2013\u2014] +")
"""Where a sentence ends before a small letter, or half of it."""
_BREAKS = (". ", "! ", "? ", "; ", " \u2013 ", " \u2014 ")
"""What stands there: most sentences have none of it."""
_LEAD = re.compile(
    r"(?:[-*\u2022>]\s+|\(?\d+[.):]\s+)?(?:(?:next up|one more thing)[,:]\s+"
    r"|(?:fyi|for your information|just so you know|heads[- ]up|side note|fun fact)\b[,:]?\s+"
    r"|(?:while|when|if|once|as soon as) you\b[^,.]{2,40}, "
    r"|[a-z]{2,10}-\d{1,6}(?:[:.]| [-\u2013\u2014])\s+"
    r"|(?:and|but|also|so|oh|ok|okay|hey|hi|hello|hm+|well|now"
    r"|then|first|next|actually|great|good|thanks|perfect|cool|yes|yeah|no|sorry|right|alright"
    r"|quick|just|maybe|btw|by the way)\b(?!')[,!.:]*\s+)*"
)
"""What stands in front of what is said."""
_TASKS = frozenset({
    "add", "analyse", "analyze", "apply", "approve", "arrange", "attach", "automate", "backfill",
    "backport", "benchmark", "book", "bootstrap", "bring", "build", "bump", "buy", "cache",
    "calculate", "cancel", "change", "chase", "check", "clean", "close", "collect", "commit",
    "compare", "compile", "compress", "compute", "configure", "confirm", "connect", "consolidate",
    "continue", "convert", "copy", "correct", "count", "create", "cut", "debug", "decommission",
    "decrypt", "dedupe", "deduplicate", "delete", "deploy", "describe", "design", "develop", "dig",
    "disable", "do", "double-check", "download", "draft", "drain", "draw", "drop", "edit", "email",
    "enable", "encrypt", "enrich", "escalate", "estimate", "evaluate", "exchange", "explain",
    "explore", "export", "expose", "extend", "extract", "failover", "fetch", "figure", "fill",
    "find", "finish", "fix", "forward", "gather", "generate", "get", "give", "grab", "handle",
    "help", "hide", "identify", "implement", "import", "improve", "increase", "inform", "inspect",
    "install", "instrument", "integrate", "investigate", "invite", "kill", "kindly", "let's",
    "lets", "list", "load", "localise", "localize", "log", "look", "looking", "merge", "migrate",
    "modernise", "modernize", "move", "need", "notify", "onboard", "open", "optimise", "optimize",
    "order", "organise", "organize", "paginate", "parse", "patch", "pick", "plan", "play", "please",
    "plot", "pls", "plz", "polyfill", "port", "post", "prepare", "print", "proceed", "profile",
    "proofread", "prototype", "provision", "prune", "publish", "pull", "purge", "push", "put",
    "rank", "read", "rebase", "rebook", "reboot", "rebuild", "recommend", "reconcile", "redeploy",
    "redo", "reduce", "refactor", "reformat", "refresh", "refund", "regenerate", "register",
    "reindex", "remind", "remove", "rename", "renew", "rephrase", "replace", "replicate", "reply",
    "reproduce", "rerun", "reschedule", "resend", "reserve", "reset", "resize", "resolve",
    "respond", "restart", "restore", "restructure", "return", "revert", "review", "rewrite", "rip",
    "roll", "rotate", "round", "run", "save", "say", "scale", "scan", "schedule", "score", "search",
    "see", "seed", "send", "set", "share", "ship", "show", "simplify", "sketch", "solve", "sort",
    "speed", "spike", "spin", "split", "squash", "start", "stop", "streamline", "submit",
    "subscribe", "suggest", "sum", "summarise", "summarize", "swap", "switch", "sync", "take",
    "tell", "test", "think", "throttle", "tidy", "tighten", "transcribe", "transfer", "translate",
    "triage", "trigger", "trim", "truncate", "try", "tune", "turn", "unblock", "undo", "uninstall",
    "unlock", "unsubscribe", "update", "upgrade", "upload", "validate", "verify", "visualise",
    "visualize", "wait", "walk", "whitelist", "wire", "withdraw", "work", "wrap", "write",
})  # fmt: skip
"""First words of what one asks for, which is over when it is done."""
_PAIRS = frozenset({
    "come up", "go ahead", "go back", "go on", "have a", "have you", "here are", "here is",
    "let me", "make a", "make an", "make it", "make me", "make that", "make the", "make this",
    "point me",
})  # fmt: skip
_NAMED_TASK = re.compile(r"(?:to-?do|task|ticket|action item|next step|fixme|bug)\b[^:.]{0,24}:")
"""What is called a task by its first word."""
_QUESTION_WORDS = frozenset({
    "what", "what's", "whats", "who", "who's", "whose", "how", "how's", "why", "when", "where",
    "where's", "which", "here's",
})  # fmt: skip
_AUXILIARIES = frozenset({
    "can", "could", "would", "will", "won't", "do", "does", "did", "is", "are", "was", "were",
    "has", "have", "should", "may", "might", "am", "any",
})  # fmt: skip
_SUBJECTS = frozenset({
    "you", "u", "i", "we", "it", "that", "this", "they", "he", "she", "there", "the", "my", "our",
    "your", "a", "an", "anyone", "someone", "idea", "chance", "of",
})  # fmt: skip
_CLEFT = re.compile(r"what (?:i|we) [^,?]*\b(?:is|are)\b \S|when (?:i|we) (?:say|write|mean) ")
"""What begins like a question and says something: "what I don't want is another surprise"."""
_DETERMINERS = frozenset({"a", "an", "the", "this", "these", "those", "my", "our", "their", "his"})
_NO_PLAIN_FORMS = ("s", "ed", "ing", "ly", "day")
_NO_VERBS = STOP | frozenset({
    "given", "per", "plus",
    "above", "across", "against", "although", "among", "around", "because", "behind", "below",
    "beneath", "between", "beyond", "both", "despite", "down", "during", "even", "ever", "except",
    "half", "hence", "inside", "like", "many", "near", "off", "once", "onto", "outside", "quite",
    "rather", "since", "still", "such", "though", "through", "throughout", "till", "toward",
    "twice", "under", "unlike", "until", "upon", "via", "whether", "whereas", "within", "without",
    "yet",
    "became", "came", "felt", "found", "gave", "got", "heard", "held", "knew", "left", "lost",
    "made", "met", "said", "saw", "sent", "sold", "spent", "took", "told", "thought", "went", "won",
    "wrote",
    "adopt", "assume", "avoid", "expect", "follow", "have", "honor", "honour", "keep", "leave",
    "let", "mind", "prefer", "remember", "respect", "treat", "trust", "use",
})  # fmt: skip
"""What stands in front of an article, and is no task."""
_WISH = re.compile(
    r"(?:once [^,]+, )?(?:i|we)(?:'d| would)? (?:(?:just|also|really|actually|still) )*"
    r"(?:want(?:ed)?|need|like|was wondering|wonder|was hoping|am hoping)\b"
)
_NEWS = Wordings(r"""
# what happens now, or happened
= fails failed failing error crash crashes crashed hang hangs hanging stuck broke broken
\b(?:fail(?:s|ed|ing)|error|crash(?:e[sd])?|hang(?:s|ing)?|stuck|broken?)\b
= time timed timedout timeout timeouts exception traceback undefined found wrong
\b(?:timed? ?out|timeouts?|exception|traceback|undefined|not found|went wrong)\b
= look looks work working works
\blooks? (?:good|neat|great|wrong|odd|weird)\b|\bdoesn't (?:work|look)\b|\bdidn't work\b
\b(?:isn't|not) working\b|\bworks? now\b
= right moment morning evening tonight today yesterday
\b(?:right now|a moment ago|this (?:morning|evening)|tonight|today|yesterday)\b
= haven hasn never
\b(?:haven't|hasn't|never) (?:heard|received|got|arrived|come|came|shown|seen)\b
# what a user does, has or knows just now
= i
\bi(?:'ve| have)? (?:(?:just|now|also|only) )?(?:attached|pushed|sent|uploaded|pasted|tried|asked)\b
\bi(?:'ve| have)? (?:(?:just|now|also|only) )?(?:waited|got|had|see|saw|think|guess|suppose|hope)\b
\bi'm (?:so |really )?(?:trying|looking|getting|seeing|having|waiting|back|hoping|sorry|upset)\b
\bi'm (?:\w+ )?(?:planning|organi[sz]ing|working|going|curious|interested|nervous|wondering)\b
\bi'm (?:\w+ )?(?:happy|not sure|sure|afraid|improving)\b
\bi (?:don't|do not|can't|didn't) (?:currently |really )?(?:have|remember|recall|know|need)\b
\bi (?:don't|do not|can't|didn't) (?:currently |really )?(?:want|see|think|mind)\b
\bi(?:'ve got| have) (?:my|the|that|it)\b|\bi(?:'ll| will) \w+
\bi (?:confirm|apologi[sz]e|understand)\b
STARTi (?:was|were|did|found|thought|noticed|forgot|remembered|undid|removed|discovered|met)\b
STARTi (?:started|called|couldn't|bought|lost|love|believe|feel|really|actually|still)\b
= we
^we(?:'ll| will) (?:try|get|check|be|see|look|find|do)\b
# what has a field of its own
= my the her his their
\b(?:my|the|her|his|their) (?:\w+ ){0,2}(?:ids?|e-?mail|name|code|zip)(?: code)? is\b
\b(?:my|the|her|his|their) (?:\w+ ){0,2}(?:phone|number|address|date of birth|password) is\b
# what is said of what stands in front of it, and by the way
= that this
START(?:that|this)(?:'s| is| was| seems?| sounds?| makes?| works?| looks?| helps?)\b
\b(?:that's all|(?:that|this) helps?)\b
= it
STARTit's (?:\S+ ?){1,3}[.!]*$|STARTit (?:was|seems?|looks?|sounds?|makes?)\b
STARTit's (?:just|only) \w+ \w+\W*$
= in meanwhile besides as once
START(?:in that case|meanwhile|besides|as soon as|once)\b
= is looks are that
\b(?:is|looks|are|that's) (?:all )?(?:correct|right|perfect)\b
= helpful helped annoying confused confusing confusion sense talk great appreciate sounds excited
\b(?:helpful|helped|annoying|confus(?:ed|ing|ion)|makes sense|talk soon|great day|appreciate)\b
\b(?:sounds good|excited)\b
= thanks thank haha lol job work well gimme
\b(?:thanks|thank you|haha|lol|(?:great|nice) work|good job|well done|gimme a sec)\b
""")
_SINCE = re.compile(
    r"(?!.*\bi\b).*(?:\bsince (?:last |early |late |the )?(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december|spring|summer|autumn|fall|winter|year"
    r"|\d{4})\b"
    r"|\bfor (?:\w+ ){0,2}(?:months|years|ages)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""That something is so for long, and no news; of themselves a user tells what they ask for."""
_TONE = re.compile(r"(?<=\w),? (?:lol|lmao|hehe|haha+)[.!]*$", re.IGNORECASE)
"""How something is said, behind it."""
_REQUESTS = any_of((
    r"\?|\b(?:let me know|feel free|don't hesitate|(?:once|when) you're)\b",
    r"\b(?:once|when) (?:i|you) (?:have|provide|confirm)\b",
    r"\bplease (?:confirm|provide|share|choose|select|tell|specify)\b",
))  # fmt: skip
"""How an agent asks for something."""
_NAMED = re.compile(
    r"`[^`\n]{1,60}`|[\w.@*-]*(?:/[\w.*-]+)+/?|[A-Za-z_][\w.]*\(\)|[$\u20ac\u00a3]\d"
)
"""A name of code, a path or an amount within a sentence: it is spoken of, and no program."""
_CODE_LINE = re.compile(r"\d+[:|]|\W*$|\S+$|[\[(\"].*[\])\",]$|\s*[#@+]")
_CODE = re.compile(
    r"[{}<>=`|\\$]|::|\(\)|\w\(|[^\W\d]:\d|\"\s*:|\w/\w+/\w|[A-Z][a-z]+Error\b"
    r"|[\u2190-\u21ff\u2700-\u27bf]"
)
"""A program, what it prints, an address, one word: all of a line is, or what stands in one."""
_CODE_SIGN = re.compile(r"[{}<>=`|\\$:(\"/\u2190-\u21ff\u2700-\u27bf]|Error")
"""Of which what stands in one has some: most lines have none, which is seen at a glance."""


def remarks(text: str, before: str = "") -> tuple[str, ...]:
    """The remarks of a user's message, in their order, while they are few.

    Args:
        before: what an agent said in front of it. What answers its question, and asks for nothing
            else, is told with it.
    """
    text = own_words(text)
    if len(text) > MAX_MESSAGE:
        return ()
    parts, is_request = _remarks(text)
    return parts if is_request or _REQUESTS.search(before[-QUESTION:]) is None else ()


def remarks_beside(text: str, rules: Sequence[str]) -> tuple[str, ...]:
    """Those that none of the sentences holds which a wording tells as rules or decisions."""
    return tuple(one for one in remarks(text) if not any(one in rule for rule in rules))


def parts_of(text: str) -> list[str]:
    """The sentences of a message, and halves of them, also where the next begins with a small
    letter."""
    return [part for sentence in sentences(text) for part in halves_of(sentence)]


def halves_of(sentence: str) -> list[str]:
    """A sentence in its halves."""
    if not any(map(sentence.__contains__, _BREAKS)):
        return [sentence]
    return [part.strip() for part in _BREAK.split(sentence)]


def is_remark(part: str) -> bool:
    """Whether a sentence, or half of one, of an English message is a remark."""
    return not asks(part) and _is_remark(part)


@cached_text
def _remarks(text: str) -> tuple[tuple[str, ...], bool]:
    """The remarks of a message, and whether it asks for something beside."""
    if is_foreign(text):
        return (), False
    parts, is_request = list[str](), False
    for part in parts_of(text):
        if asks(part):
            is_request = True
        elif len(parts) < MOST and _is_remark(part):
            parts.append(part)
    if not (is_request or is_english(text)):  # of a few words nobody knows what language they are
        return (), False
    return tuple(parts), is_request


def asks(part: str) -> bool:
    """Whether a sentence, or half of one, is a question, or a task."""
    if part.endswith(("?", "\uff1f")):
        return True
    small = part.casefold().replace("\u2019", "'")
    lead = _LEAD.match(small)
    rest = small[lead.end() :] if lead is not None else small
    first, _, behind = rest.partition(" ")
    second = behind.partition(" ")[0]
    if _NAMED_TASK.match(rest) is not None:
        return True
    if first in _TASKS or f"{first} {second}" in _PAIRS or _WISH.match(rest) is not None:
        return True
    if first in _QUESTION_WORDS:
        return ", " not in behind and _CLEFT.match(rest) is None
    if first in _AUXILIARIES and second in _SUBJECTS:
        return True
    return second in _DETERMINERS and _is_verb(first)


def _is_verb(first: str) -> bool:
    """Whether a first word with an article behind it is none but what is to be done: it is in the
    plain form, and no word that joins, counts, or lays something down."""
    is_plain = first.isalpha() and not first.endswith(_NO_PLAIN_FORMS)
    return is_plain and first not in _NO_VERBS


def _is_remark(part: str) -> bool:
    part = _TONE.sub("", part)
    if len(part) > MAX_REMARK or part.endswith(":"):
        return False
    if _is_code(part):
        prose = _NAMED.sub("it", part)  # what else is said has words of its own
        if _is_code(prose) or len(small_text(prose).words - STOP) < LEAST_PROSE:
            return False
    return len(small_text(part).words - STOP) >= LEAST_WORDS and not tells_news(part)


def _is_code(part: str) -> bool:
    if _CODE_LINE.match(part) is not None:
        return True
    return _CODE_SIGN.search(part) is not None and _CODE.search(part) is not None


def tells_news(part: str) -> bool:
    """Whether a sentence, or half of one, tells what happens now, thanks, or is said by the way."""
    part = _TONE.sub("", part)
    return _NEWS.is_in(part, small_text(part)) and _SINCE.match(part) is None
