"""The catalogue of secrets: tokens with a public prefix, assignments, keys, credentials.

Formats as their issuers publish them. A token with a prefix is known by it; a token without one is
known by the name it is assigned to.
"""

from contextwright.redaction import checks
from contextwright.redaction.patterns import Pattern

# name, literals, expression. Upper bounds are generous: the whole of a long run is redacted.
_PREFIXED = (
    ("aws_key", "AKIA ASIA ABIA ACCA", r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16,128}\b"),
    ("aws_key", "ABSK", r"ABSK[A-Za-z0-9+/]{60,300}={0,2}"),
    ("aws_key", "bedrock-api-key-", r"bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]*"),
    ("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[oprsu]_[A-Za-z0-9]{36,255}"),
    ("github_token", "github_pat_", r"github_pat_[A-Za-z0-9_]{36,255}"),
    (
        "gitlab_token",
        "glpat- glptt- gldt- glrt- glcbt- glffct- glft- glimt- glagent- gloas- glsoat-",
        r"gl[a-z]{2,6}-[A-Za-z0-9_.=-]{20,300}",
    ),
    ("gitlab_token", "GR1348941", r"GR1348941[A-Za-z0-9_-]{20,60}"),
    ("gitlab_token", "_gitlab_session=", r"_gitlab_session=([a-z0-9]{32})"),
    (
        "slack_token",
        "xoxb- xoxp- xoxe- xoxa- xoxr- xoxs- xoxo-",
        r"xox[a-z]-[A-Za-z0-9-]{15,300}",
    ),
    ("slack_token", "xoxe.xox", r"xoxe\.xox[bp]-[0-9]-[A-Za-z0-9]{100,250}"),
    ("slack_token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9]{5,20}-[0-9]{5,20}-[a-z0-9]{20,100}"),
    (
        "slack_token",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,80})",
    ),
    (
        "stripe_key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_",
        r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,200}",
    ),
    ("stripe_key", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,100}"),
    ("google_key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    ("google_key", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    ("google_key", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,1000}"),
    ("openai_key", "sk-", r"sk-[A-Za-z0-9_-]{20,300}"),
    ("huggingface_token", "hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z0-9]{34}\b"),
    ("npm_token", "npm_", r"npm_[A-Za-z0-9]{36}\b"),
    ("pypi_token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,1000}"),
    ("jwt", "ey", r"ey[A-Za-z0-9_-]{15,1000}\.ey[A-Za-z0-9/_\\-]{10,1000}[A-Za-z0-9/_.\\=-]*"),
    ("jwt", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9+/]{50,1000}={0,3}"),
    (
        "vendor_token",
        "A3-",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    ("vendor_token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/]{200,1000}[A-Za-z0-9+/]*={0,3}"),
    ("vendor_token", "p8e-", r"p8e-[A-Za-z0-9]{32}\b"),
    ("vendor_token", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("vendor_token", "LTAI", r"LTAI[A-Za-z0-9]{20}\b"),
    ("vendor_token", "AKCp", r"AKCp[A-Za-z0-9]{60,80}"),
    ("vendor_token", "cmVmd", r"cmVmd[A-Za-z0-9]{59}\b"),
    ("vendor_token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{180,200}"),
    (
        "vendor_token",
        "sc_ ext_ scauth_ authress_",
        (
            r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}"
            r"\.[A-Za-z0-9+/_=-]{30,120}"
        ),
    ),
    ("vendor_token", "4b1d", r"4b1d[A-Za-z0-9]{38}\b"),
    ("vendor_token", "CLOJARS_", r"(?i:CLOJARS_)[A-Za-z0-9]{60}\b"),
    ("vendor_token", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b"),
    ("vendor_token", "dapi", r"dapi[a-f0-9]{32}(?:-[0-9])?\b"),
    ("vendor_token", "dnkey-", r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    ("vendor_token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}\b"),
    ("vendor_token", "dp.pt. dp.st. dp.ct.", r"dp\.[a-z]{2}\.[A-Za-z0-9.]{40,80}"),
    ("vendor_token", "sl.", r"sl\.[A-Za-z0-9=_-]{120,300}"),
    ("vendor_token", "duffel_", r"duffel_(?:test|live)_[A-Za-z0-9_=-]{40,50}"),
    ("vendor_token", "dt0c01.", r"dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}\b"),
    ("vendor_token", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}\b"),
    ("vendor_token", "EAAA EAAC EAAM", r"EAA[AMC][A-Za-z0-9_-]{22,300}"),
    ("vendor_token", "FLWSECK FLWPUBK", r"FLW(?:SEC|PUB)K(?:_TEST)?-[A-Za-z0-9]{12,32}(?:-X)?"),
    ("vendor_token", "fo1_ fm1a_ fm1r_ fm2_", r"f(?:o1|m1[ar]|m2)_[A-Za-z0-9+/_=-]{40,1000}"),
    ("vendor_token", "glc_ glsa_", r"gl(?:c|sa)_[A-Za-z0-9+/_]{32,400}={0,3}"),
    ("vendor_token", "pat. sat.", r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b"),
    ("vendor_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}"),
    ("vendor_token", "HRKU-AA", r"HRKU-AA[A-Za-z0-9_-]{50,70}"),
    ("vendor_token", "ico-", r"ico-[A-Za-z0-9]{32}\b"),
    ("vendor_token", "s-s4t2ud- s-s4t2af-", r"s-s4t2(?:ud|af)-[a-f0-9]{64}\b"),
    ("vendor_token", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    ("vendor_token", "key- pubkey-", r"(?:pub)?key-[a-f0-9]{32}\b"),
    ("vendor_token", "pk. sk.", r"[ps]k\.[A-Za-z0-9_-]{60,100}\.[A-Za-z0-9_-]{20,24}"),
    ("vendor_token", "ntn_", r"ntn_[0-9]{11}[A-Za-z0-9]{35}\b"),
    ("vendor_token", "API-", r"API-[A-Z0-9]{26}\b"),
    ("vendor_token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}"),
    ("vendor_token", "pplx-", r"pplx-[A-Za-z0-9]{48}\b"),
    ("vendor_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,70}"),
    ("vendor_token", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}\b"),
    ("vendor_token", "pnu_", r"pnu_[A-Za-z0-9]{36}\b"),
    ("vendor_token", "pul-", r"pul-[a-f0-9]{40}\b"),
    ("vendor_token", "rdme_", r"rdme_[a-z0-9]{70}\b"),
    ("vendor_token", "rubygems_", r"rubygems_[a-f0-9]{48}\b"),
    ("vendor_token", "tk-us-", r"tk-us-[A-Za-z0-9_-]{48}"),
    ("vendor_token", "SG.", r"SG\.[A-Za-z0-9=_.-]{60,70}"),
    ("vendor_token", "xkeysib-", r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b"),
    ("vendor_token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/_-]{60,400}[A-Za-z0-9+/=_-]*"),
    ("vendor_token", "sm_pat_ sm_sat_ sm_aat_", r"sm_[psa]at_[A-Za-z0-9]{16}\b"),
    ("vendor_token", "shippo_", r"shippo_(?:live|test)_[A-Fa-f0-9]{40}\b"),
    ("vendor_token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\b"),
    ("vendor_token", "sgp_", r"sgp_(?:(?:[A-Fa-f0-9]{16}|local)_)?[A-Fa-f0-9]{40}\b"),
    ("vendor_token", "sq0atp- sq0csp- sq0idp-", r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,60}"),
    ("vendor_token", "SK", r"SK[a-f0-9]{32}\b"),
    ("vendor_token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{24,300}"),
    ("vendor_token", "s.", r"s\.[A-Za-z0-9]{24}\b"),
    ("vendor_token", "t1.", r"t1\.[A-Za-z0-9_-]{1,100}={0,2}\.[A-Za-z0-9_-]{86}={0,2}"),
    ("vendor_token", "AQVN", r"AQVN[A-Za-z0-9_-]{35,38}"),
    ("vendor_token", "YC", r"YC[A-Za-z0-9_-]{38}\b"),
    ("vendor_token", "lin_api_", r"lin_api_[A-Za-z0-9]{40}\b"),
    ("vendor_token", "NRAK- NRJS- NRII-", r"NR(?:AK|JS|II)-[A-Za-z0-9-]{19,40}"),
    ("vendor_token", "gsk_ xai-", r"(?:gsk_|xai-)[A-Za-z0-9]{50,90}"),
    ("vendor_token", "r8_", r"r8_[A-Za-z0-9]{37}\b"),
    ("vendor_token", "dckr_pat_", r"dckr_pat_[A-Za-z0-9_-]{27}"),
)
_LEADS = {".atlasv1.": 14, "_mmk": 36}

_QUOTE = r"\\{0,3}[\"'`]?"
_ASSIGNED = (
    rf"{_QUOTE}\]?(?:[ \t]{{0,8}}(?::=|=>|={{1,3}}|:|,)|[ \t]{{1,80}}value=)[ \t]{{0,8}}{_QUOTE}"
)
_VALUE = r"[A-Za-z0-9+/_.~@!#%^&*=-]"


def _rows() -> tuple[Pattern, ...]:
    return tuple(
        Pattern(
            name=name,
            regex=regex,
            literals=tuple(literals.split()),
            lead=_LEADS.get(literals, 0),
            reach=400 if literals in _LEADS else 0,
            in_run=True,
            check=checks.mixed_token if literals == "s." else checks.random_token,
        )
        for name, literals, regex in _PREFIXED
    )


SECRETS: tuple[Pattern, ...] = (
    *_rows(),
    Pattern(
        name="azure_secret",
        regex=r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
        literals=("Q~",),
        lead=4,
        reach=40,
        check=checks.random_token,
    ),
    Pattern(
        name="private_key",
        regex=r"-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----",
        literals=("-----BEGIN",),
        free=True,
        check=checks.private_key,
    ),
    Pattern(
        name="password",
        regex=r"(?:password|passwd|passwort|passphrase|pwd|passw|_pass|_pw)[A-Za-z0-9_]{0,12}"
        rf"{_ASSIGNED}([^\s\"'`<>,;\\]{{4,200}})",
        literals=("passw", "passphrase", "pwd", "_pass", "_pw"),
        fold=True,
        free=True,
        check=checks.password,
    ),
    Pattern(
        name="assigned_secret",
        regex=r"[:=,>][=>]{0,2}[ \t]{0,8}\\{0,3}[\"'`]?([A-Za-z0-9+/_.~@!#%^&*-]"
        r"[A-Za-z0-9+/_.~@!#%^&*=-]{9,500})",
        free=True,
        check=checks.assigned,
    ),
    Pattern(
        name="telegram_token",
        regex=r"[0-9]{5,16}:A[A-Za-z0-9_-]{34}",
        literals=(":A",),
        lead=16,
        reach=36,
        check=checks.random_token,
    ),
    Pattern(
        name="discord_token",
        regex=r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
        anchor=r"\.[A-Za-z0-9_-]{6}\.",
        lead=26,
        reach=48,
        check=checks.random_token,
    ),
    Pattern(
        name="auth_header",
        regex=r"authorization[\"'\\]{0,4}[ \t]{0,4}[:=][ \t\"'\\]{0,8}"
        r"(?:(?:basic|bearer|token|apikey|api-token|digest|key)[ \t:]{1,8})?"
        rf"({_VALUE}{{8,1000}}{_VALUE}*)",
        literals=("authorization",),
        fold=True,
        free=True,
        check=checks.credentials,
    ),
    Pattern(
        name="auth_header",
        regex=rf"bearer[ \t]{{1,4}}({_VALUE}{{20,1000}}{_VALUE}*)",
        literals=("bearer ",),
        fold=True,
        free=True,
        check=checks.bearer,
    ),
    Pattern(
        name="url_password",
        regex=r"://[^\s/:@\"'<>]{0,200}:([^\s/@\"'<>]{1,200})@",
        literals=("://",),
        free=True,
        check=checks.credentials,
    ),
    Pattern(
        name="url_password",
        regex=r"-(?:u|-user)[ =]?[\"']?[^\s\"':]{0,80}[\"']?:[\"']?([^\s\"']{3,200})",
        literals=("-u ", '-u"', "-u=", "--user"),
        free=True,
        check=checks.credentials,
    ),
)
