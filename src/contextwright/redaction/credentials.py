"""The catalogue of secrets: tokens with a public prefix, assignments, keys, credentials.

Formats as their issuers publish them. A token with a prefix is known by it; a token without one is
known by the name it is assigned to.
"""

from collections.abc import Iterator

from contextwright.redaction import checks, issued_forms
from contextwright.redaction.checks import Check
from contextwright.redaction.named_columns import NAMED_COLUMNS
from contextwright.redaction.named_secrets import GLUED_IS, IS, NAMED_SECRETS, NOW
from contextwright.redaction.patterns import Pattern
from contextwright.redaction.secret_values import ANY_VALUE

# Name, literals, expression. Upper bounds are generous: the whole of a long run is redacted.
_PREFIXED = r"""

aws_key ABSK ABSK[A-Za-z0-9+/]{60,300}={0,2}
aws_key bedrock-api-key- bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]*
github_token ghp_ gho_ ghu_ ghs_ ghr_ gh[oprsu]_[A-Za-z0-9]{36,255}
github_token github_pat_ github_pat_[A-Za-z0-9_]{36,255}
gitlab_token glpat- glptt- gldt- glrt- glcbt- glffct- gl[a-z]{2,6}-[A-Za-z0-9_.=-]{20,300}
gitlab_token glft- glimt- glagent- gloas- glsoat- gl[a-z]{2,6}-[A-Za-z0-9_.=-]{20,300}
gitlab_token GR1348941 GR1348941[A-Za-z0-9_-]{20,60}
gitlab_token _gitlab_session= _gitlab_session=[a-z0-9]{32}
slack_token xoxb- xoxp- xoxe- xoxa- xoxr- xoxs- xoxo- xox[a-z]-[A-Za-z0-9-]{15,300}
slack_token xoxe.xox xoxe\.xox[bp]-[0-9]-[A-Za-z0-9]{100,250}
slack_token xapp- xapp-[0-9]-[A-Za-z0-9]{5,20}-[0-9]{5,20}-[a-z0-9]{20,100}
stripe_key sk_live_ rk_live_ sk_test_ [rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,200}
stripe_key rk_test_ sk_prod_ rk_prod_ [rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,200}
stripe_key whsec_ whsec_[A-Za-z0-9+/=]{20,100}
google_key AIza AIza[A-Za-z0-9_-]{35}
google_key GOCSPX- GOCSPX-[A-Za-z0-9_-]{28}
google_key ya29. ya29\.[A-Za-z0-9_-]{20,1000}
openai_key sk- sk-[A-Za-z0-9_-]{20,300}
huggingface_token hf_ api_org_ (?:hf_|api_org_)[A-Za-z0-9]{34}\b
npm_token npm_ npm_[A-Za-z0-9]{36}\b
pypi_token pypi-AgE pypi-AgE[A-Za-z0-9_-]{50,1000}
jwt ey ey[A-Za-z0-9_-]{15,1000}\.ey[A-Za-z0-9/_\\-]{10,1000}[A-Za-z0-9/_.\\=-]*
jwt eyJrIjoi eyJrIjoi[A-Za-z0-9+/]{50,1000}={0,3}
vendor_token A3- A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
vendor_token ops_eyJ ops_eyJ[A-Za-z0-9+/]{200,1000}[A-Za-z0-9+/]*={0,3}
vendor_token p8e- p8e-[A-Za-z0-9]{32}\b
vendor_token AGE-SECRET-KEY-1 AGE-SECRET-KEY-1[A-Z0-9]{58}
vendor_token LTAI LTAI[A-Za-z0-9]{20}\b
vendor_token AKCp AKCp[A-Za-z0-9]{60,80}
vendor_token cmVmd cmVmd[A-Za-z0-9]{59}\b
vendor_token ATATT3 ATATT3[A-Za-z0-9_=-]{180,200}
vendor_token 4b1d 4b1d[A-Za-z0-9]{38}\b
vendor_token CLOJARS_ (?i:CLOJARS_)[A-Za-z0-9]{60}\b
vendor_token v1.0- v1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b
vendor_token dapi dapi[a-f0-9]{32}(?:-[0-9])?\b
vendor_token dnkey- dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}
vendor_token doo_v1_ dop_v1_ dor_v1_ do[opr]_v1_[a-f0-9]{64}\b
vendor_token dp.pt. dp.st. dp.ct. dp\.[a-z]{2}\.[A-Za-z0-9.]{40,80}
vendor_token sl. sl\.[A-Za-z0-9=_-]{120,300}
vendor_token duffel_ duffel_(?:test|live)_[A-Za-z0-9_=-]{40,50}
vendor_token dt0c01. dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}\b
vendor_token EZAK EZTK EZ[AT]K[A-Za-z0-9]{54}\b
vendor_token EAAA EAAC EAAM EAA[AMC][A-Za-z0-9_-]{22,300}
vendor_token FLWSECK FLWPUBK FLW(?:SEC|PUB)K(?:_TEST)?-[A-Za-z0-9]{12,32}(?:-X)?
vendor_token fo1_ fm1a_ fm1r_ fm2_ f(?:o1|m1[ar]|m2)_[A-Za-z0-9+/_=-]{40,1000}
vendor_token glc_ glsa_ gl(?:c|sa)_[A-Za-z0-9+/_]{32,400}={0,3}
vendor_token pat. sat. [ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b
vendor_token .atlasv1. [A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}
vendor_token HRKU-AA HRKU-AA[A-Za-z0-9_-]{50,70}
vendor_token ico- ico-[A-Za-z0-9]{32}\b
vendor_token s-s4t2ud- s-s4t2af- s-s4t2(?:ud|af)-[a-f0-9]{64}\b
vendor_token _mmk [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b
vendor_token key- pubkey- (?:pub)?key-[a-f0-9]{32}\b
vendor_token pk. sk. [ps]k\.[A-Za-z0-9_-]{60,100}\.[A-Za-z0-9_-]{20,24}
vendor_token ntn_ ntn_[0-9]{11}[A-Za-z0-9]{35}\b
vendor_token API- API-[A-Z0-9]{26}\b
vendor_token sha256~ sha256~[A-Za-z0-9_-]{43}
vendor_token pplx- pplx-[A-Za-z0-9]{48}\b
vendor_token pscale_ pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,70}
vendor_token PMAK- PMAK-[a-f0-9]{24}-[a-f0-9]{34}\b
vendor_token pnu_ pnu_[A-Za-z0-9]{36}\b
vendor_token pul- pul-[a-f0-9]{40}\b
vendor_token rdme_ rdme_[a-z0-9]{70}\b
vendor_token rubygems_ rubygems_[a-f0-9]{48}\b
vendor_token tk-us- tk-us-[A-Za-z0-9_-]{48}
vendor_token SG. SG\.[A-Za-z0-9=_.-]{20,300}
vendor_token xkeysib- xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b
vendor_token sntrys_ sntryu_ sntry[su]_[A-Za-z0-9+/_-]{60,400}[A-Za-z0-9+/=_-]*
vendor_token sm_pat_ sm_sat_ sm_aat_ sm_[psa]at_[A-Za-z0-9]{16}\b
vendor_token shippo_ shippo_(?:live|test)_[A-Fa-f0-9]{40}\b
vendor_token shpat_ shpca_ shppa_ shpss_ shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\b
vendor_token sgp_ sgp_(?:(?:[A-Fa-f0-9]{16}|local)_)?[A-Fa-f0-9]{40}\b
vendor_token sq0atp- sq0csp- sq0idp- sq0[a-z]{3}-[A-Za-z0-9_-]{22,60}
vendor_token SK SK[a-f0-9]{32}\b
vendor_token hvs. hvb. hv[sb]\.[A-Za-z0-9_-]{24,300}
vendor_token s. s\.[A-Za-z0-9]{24}\b
vendor_token t1. t1\.[A-Za-z0-9_-]{1,100}={0,2}\.[A-Za-z0-9_-]{86}={0,2}
vendor_token AQVN AQVN[A-Za-z0-9_-]{35,38}
vendor_token YC YC[A-Za-z0-9_-]{38}\b
vendor_token lin_api_ lin_api_[A-Za-z0-9]{40}\b
vendor_token NRAK- NRJS- NRII- NR(?:AK|JS|II)-[A-Za-z0-9-]{19,40}
vendor_token gsk_ xai- (?:gsk_|xai-)[A-Za-z0-9]{50,90}
vendor_token r8_ r8_[A-Za-z0-9]{37}\b
vendor_token dckr_pat_ dckr_pat_[A-Za-z0-9_-]{27}
"""
_LEADS = {".atlasv1.": 14, "_mmk": 36}
_CHECKS: dict[str, Check] = {
    "s.": checks.mixed_token,
    "ey": issued_forms.signed_token,
    **dict.fromkeys(("glpat-", "glft-", "SG.", "sk-"), issued_forms.issuers_form),
}

_QUOTE = r"\\{0,3}[\"'`]?"
_ASSIGNED = (
    rf"{_QUOTE}\]?(?:[ \t]{{0,8}}(?::=|=>|={{1,3}}|:|,)|[ \t]{{1,80}}value=)[ \t]{{0,8}}{_QUOTE}"
)
_VALUE = r"[A-Za-z0-9+/_.~@!#%^&*=-]"


def _prefixed(name: str, *literals: str, regex: str) -> Pattern:
    lead = _LEADS.get(literals[0], 0)
    return Pattern(
        name,
        regex,
        literals,
        lead=lead,
        in_run=True,
        check=_CHECKS.get(literals[0], checks.random_token),
    )


def _rows() -> Iterator[Pattern]:
    for row in _PREFIXED.strip().splitlines():
        *words, regex = row.split()
        yield _prefixed(*words, regex=regex)


def _around(
    name: str, regex: str, literals: tuple[str, ...], lead: int, back: str = "", anchor: str = ""
) -> Pattern:
    """A token whose literal, or anchor, is in its middle."""
    check = checks.random_token
    return Pattern(name, regex, literals, lead=lead, back=back, anchor=anchor, check=check)


def _anywhere(
    name: str, regex: str, literals: tuple[str, ...], check: Check, fold: bool = False
) -> Pattern:
    """A secret that is known by what stands before it; other characters may touch it."""
    return Pattern(name, regex, literals, fold=fold, free=True, check=check)


_LINES = r"[A-Za-z0-9+/=\s\\]"
_NAMES_OF_PASSWORDS = ("passw", "passphrase", "passcode", "kennwort", "pwd", "_pass", "_pw")
_PERSONAL_NAME = r"(?:password|passwd|passwort|passphrase|passcode|kennwort|pwd|passw|_pass|_pw)"
_NAMES_OF_SECRETS = (
    *("secret", "token", "credential", "api", "access", "private", "auth", "account", "signing"),
    *("encryption", "master", "license", "service", "storage", "shared"),
)
_MACHINE_NAME = (
    r"(?:secret|token|credential|(?:api|access|private|auth|account|signing|encryption|master|"
    r"license|service|storage|shared|secret)[ _.-]?(?:access[ _.-]?)?key)s?"
    r"(?:[_-]?(?:access[_-]?)?(?:key|value|token|b64|base64))?"
)
_ASSIGNED_TO = (
    rf"{_QUOTE}\]?(?:[ \t]{{0,8}}(?::=|=>|={{1,3}}|:)|[ \t]{{1,80}}value=)[ \t]{{0,8}}\\{{0,3}}"
)
_IN_PROSE = (
    rf"(?:(?: [A-Za-z0-9@._'À-ɏ-]{{1,40}}){{0,5}}? (?:{IS})(?:{NOW})?:? {{1,3}}"
    rf"|[ ]?(?:{GLUED_IS})[ :]{{0,3}})"
)


def _passwords() -> Iterator[Pattern]:
    """Passwords wherever people and programs write them."""

    def pattern(regex: str, literals: tuple[str, ...], check: Check = checks.password) -> Pattern:
        return _anywhere("password", regex, literals, check, fold=True)

    name = rf"{_PERSONAL_NAME}[A-Za-z0-9_]{{0,12}}"
    yield pattern(
        rf"{name}{_QUOTE}\]?(?:[ \t]{{0,8}}(?::=|=>|={{1,3}}|:|,)|[ \t]{{1,80}}value=)[ \t]{{0,8}}"
        rf"\\{{0,3}}{ANY_VALUE}",
        _NAMES_OF_PASSWORDS,
    )
    yield Pattern(
        "password",
        rf"pw[0-9]?(?:{_ASSIGNED_TO}|[ ]?(?:{GLUED_IS})[ ]?){ANY_VALUE}",
        ("pw",),
        fold=True,
        check=checks.password,
    )
    yield pattern(rf"{name}{_IN_PROSE}{ANY_VALUE}", _NAMES_OF_PASSWORDS, checks.stated)
    yield pattern(rf"{name}>[ \t\n]{{0,40}}([^<>\s]{{4,200}})", _NAMES_OF_PASSWORDS)
    yield pattern(
        rf"{name}{_QUOTE}:[ \t]{{0,8}}[|>][+-]?[ \t]{{0,8}}\r?\n[ \t]{{1,40}}{ANY_VALUE}",
        _NAMES_OF_PASSWORDS,
        checks.stated,
    )
    yield pattern(
        rf"(?:mysql|mysqldump|mysqladmin|mariadb)[^\n|;&]{{0,200}}? -p{ANY_VALUE}",
        ("mysql", "mariadb"),
    )
    yield pattern(rf"sshpass[ \t]{{1,8}}-p[ \t]{{0,8}}{ANY_VALUE}", ("sshpass",))
    yield pattern(rf"login[^\n|;&]{{0,200}}? -p[ \t]{{1,8}}{ANY_VALUE}", ("login",))
    yield pattern(rf"redis-cli[^\n|;&]{{0,200}}? -a[ \t]{{1,8}}{ANY_VALUE}", ("redis-cli",))
    yield Pattern(
        "password",
        rf"--?(?:[a-z]{{1,20}}-)?(?:password|passwd|pass|pw|token|secret|api-?key)[ =]{{1,2}}"
        rf"{ANY_VALUE}",
        ("-pass", "-pw", "-token", "-secret", "-api"),
        fold=True,
        check=checks.stated,
    )


SECRETS: tuple[Pattern, ...] = (
    *_rows(),
    _prefixed(
        "slack_token",
        "hooks.slack.com/",
        regex=r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,80})",
    ),
    _prefixed(
        "vendor_token",
        *("sc_", "ext_", "scauth_", "authress_"),
        regex=r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}"
        r"\.[A-Za-z0-9+/_=-]{30,120}",
    ),
    _anywhere(
        "vendor_token",
        r"contribsys__com[a-z_\"'\\]{0,12}[ \t]{0,4}[:=][ \t\"'\\]{0,6}([0-9a-f]{8}:[0-9a-f]{8})\b",
        ("contribsys__com",),
        checks.random_token,
        fold=True,
    ),
    _around("azure_secret", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", ("Q~",), 4),
    _anywhere(
        "private_key",
        r"-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----",
        ("-----BEGIN",),
        checks.private_key,
    ),
    Pattern(
        "aws_key",
        r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16,128}\b|A3T[A-Z0-9]{17}\b",
        ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
        check=checks.issued_token,
    ),
    Pattern(
        "private_key",
        rf"({_LINES}+)-----END[ A-Z0-9_-]{{0,100}}PRIVATE KEY(?: BLOCK)?-----",
        ("-----END",),
        lead=16_384,
        back=_LINES,
        free=True,
        check=checks.private_key_tail,
    ),
    *_passwords(),
    *NAMED_SECRETS,
    NAMED_COLUMNS,
    _anywhere(
        "assigned_secret",
        rf"{_MACHINE_NAME}{_ASSIGNED_TO}{ANY_VALUE}",
        _NAMES_OF_SECRETS,
        checks.named_secret,
        fold=True,
    ),
    _anywhere(
        "assigned_secret",
        rf"(?:{_PERSONAL_NAME}|{_MACHINE_NAME})[A-Za-z0-9_]{{0,12}}"
        r"(?:[\"'\\]{0,4}\s{0,8},\s{0,40}|[\"'\\]{0,4}\s{1,40})"
        rf"\\{{0,3}}[\"']?value\\{{0,3}}[\"']?[ \t]{{0,8}}[:=][ \t]{{0,8}}\\{{0,3}}{ANY_VALUE}",
        (*_NAMES_OF_PASSWORDS, *_NAMES_OF_SECRETS),
        checks.named_secret,
        fold=True,
    ),
    _anywhere(
        "assigned_secret",
        rf"{_MACHINE_NAME}{_IN_PROSE}{ANY_VALUE}",
        _NAMES_OF_SECRETS,
        checks.named_secret,
        fold=True,
    ),
    _anywhere(
        "assigned_secret",
        rf"{_MACHINE_NAME}>[ \t\n]{{0,40}}([^<>\s]{{8,400}})",
        _NAMES_OF_SECRETS,
        checks.named_secret,
        fold=True,
    ),
    _anywhere(
        "auth_header",
        r"cookie[\"'\\]{0,4}[ \t]{0,4}[:=][ \t\"'\\]{0,8}([^\n\r\"'\\]{8,1000})",
        ("cookie",),
        checks.cookie,
        fold=True,
    ),
    _anywhere(
        "assigned_secret",
        r"[:=,>][=>]{0,2}[ \t]{0,8}\\{0,3}[\"'`]?([A-Za-z0-9+/_.~@!#%^&*-]"
        r"[A-Za-z0-9+/_.~@!#%^&*=-]{9,500})",
        (),
        checks.assigned,
    ),
    _around("telegram_token", r"[0-9]{5,16}:A[A-Za-z0-9_-]{34}", (":A",), 16, "[0-9]"),
    _around(
        "discord_token",
        r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
        (),
        26,
        "[A-Za-z0-9_-]",
        anchor=r"\.[A-Za-z0-9_-]{6}\.",
    ),
    _anywhere(
        "auth_header",
        r"authorization[\"'\\]{0,4}[ \t]{0,4}[:=][ \t\"'\\]{0,8}"
        r"(?:(?:basic|bearer|token|apikey|api-token|digest|key)[ \t:]{1,8})?"
        rf"({_VALUE}{{8,1000}}{_VALUE}*)",
        ("authorization",),
        checks.credentials,
        fold=True,
    ),
    _anywhere(
        "auth_header",
        rf"bearer[ \t]{{1,4}}({_VALUE}{{20,1000}}{_VALUE}*)",
        ("bearer ", "bearer\t"),
        checks.bearer,
        fold=True,
    ),
    Pattern(
        "vendor_token",
        r"AKC[A-Za-z0-9]{10,80}|AP[0-9A-F][A-Za-z0-9]{8,80}",
        ("AKC", "AP"),
        check=issued_forms.short_prefix,
    ),
    _anywhere(
        "vendor_token",
        r"://[A-Za-z0-9.-]{3,100}/[A-Za-z0-9/_.~%-]{48,500}",
        ("://",),
        issued_forms.url_key,
    ),
    _anywhere(
        "url_password",
        r"://[^\s/:@\"'<>]{0,200}:([^\s/@\"'<>]{1,200})@",
        ("://",),
        checks.credentials,
    ),
    _anywhere(
        "url_password",
        r"-(?:u[ =\"']|-user[ =]?)[\"']?[^\s\"':]{0,80}[\"']?:[\"']?([^\s\"']{3,200})",
        ("-u ", '-u"', "-u'", "-u=", "--user"),
        checks.credentials,
    ),
    _anywhere(
        "url_password",
        r"curl[^\n|;&]{0,200}? -u[^\s\"':=]{1,80}:([^\s\"']{3,200})",
        ("curl",),
        checks.credentials,
    ),
)
