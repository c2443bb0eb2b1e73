"""What passwords, keys and PINs are called, in the languages that people write in.

A name is given as it stands in small letters: `_` is a blank, a hyphen, an underscore or nothing,
`*` up to six more letters, `(a|b)` one of several. The word behind a `!`, else the first, is looked
for; others stand before and behind it. Accents may be left out, or stand as signs of their own. The
English names are with the patterns of secrets.
"""

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import combining, normalize

import msgspec

from contextwright.redaction.haystack import Haystack

PASSWORDS = """
de zugangs(code|daten|wort)
fr mot_de_!passe mots_de_!passe phrase_de_!passe phrase_!secrète mdp code_d'!accès code_!secret
es contraseña* clave(_de_acceso|_de_paso|)
pt senha(s|) palavra_!passe
it parol(a|e)_(d'ordine|chiave) codice_!segreto
nl wachtwoord* toegang(scode|s_code)* geheim(e)_code
pl hasł(o|a|em|u|ach|ami)
cs_sk hesl(o|a|em|u|om|ach)
hu_ro_fi_hr jelszó* jelszav* parol(ă|a|ei) salasana* lozink(a|u|e|om)
sv lösenord* losenord*
da_no adgangskode* kodeord* passord*
tr şifre(si|m|miz|niz|yi|niz|) parol(ası|asi|am|amız|anız|aniz)
ru_uk_bg_sr парол(ь|я|ю|ем|и|ей|ём|ям|ата|а) кодов*_фраз* парольн*_фраз*
sr лозинк(а|у)
el κωδικός κωδικού κωδικό κωδικ(ός|ό)_πρόσβασης συνθηματικό*
ar كلمة_(المرور|السر|مرور|سر) كلمه_(المرور|السر|مرور|سر) رمز_(المرور|الدخول) باسورد
fa رمز_عبور گذرواژه کلمه_عبور پسورد
he סיסמה סיסמא סיסמת סיסמתי סיסמתך קוד_(סודי|גישה) קוד_הגישה
hi पासवर्ड कूटशब्द गुप्त_शब्द
bn_ta_te পাসওয়ার্ড கடவுச்சொல் పాస్‌వర్డ్
th รหัสผ่าน พาสเวิร์ด
id kata_!sandi(nya|mu|ku|) sandi kata_!kunci(nya|)
vi mật_khẩu mật_mã mat_!khau
zh 密码 密碼 口令 通行码 通行碼 助记词
ja パスワード パスフレーズ パスコード 合言葉 合い言葉 ﾊﾟｽﾜｰﾄﾞ
ko 비밀번호 비번 암호 패스워드 패스코드 비밀_번호
"""
KEYS = """
any api_(schlüssel|schluessel|sleutel|klíč|klucz|nyckel|nøgle|nøkkel|anahtar)*
any api_(キー|키|密钥|密鑰|金鑰|कुंजी|คีย์|κλειδί)
any (clé_|clé_d'|cle_|cle_d'|clave_|clave_de_)!api
any (llave_|llave_de_|chave_|chave_de_|chave_da_|chiave_|klucz_)!api
any (klucz_do_|klíč_|klíč_k_|kunci_|khóa_|khoá_)!api
any (κλειδί_|ключ_|ключа_|مفتاح_|מפתח_|מפתח_ה|คีย์_)!api
any !token_(de_acceso|de_sesión|de_acesso|de_sessão|d'accès|di_accesso|di_sessione)
any !token_(dostępu|sesji|akses|truy_cập|доступа|доступу|erişimi)
any (toegangs|zugriffs|zugangs|åtkomst|adgangs|tilgangs|přístupový_|erişim_)!token*
any (clé_|cle_)!secrète (clave_|llave_|chave_)!secret(a) !secret(o_del_cliente|o_de_cliente)
de (zugriffs|zugangs|geheim|sicherheits|lizenz)_!schlüssel*
de geheim(er|en|e|)_(schlüssel|schluessel|sleutel)* geheim(nis|nisses) privat(er|en)_!schlüssel*
fr clé_(d'accès|privée|de_chiffrement|de_licence|de_signature)
fr jeton_(d'accès|secret|d'api|d'authentification|de_session) jeton
es clave_(privada|de_acceso|de_cifrado|de_licencia)
pt chave_(privada|de_acesso|de_criptografia|de_licença)
it chiave_(segreta|privata|d'accesso|di_accesso|di_cifratura|di_licenza)
nl toegang(ssleutel|s_sleutel)*
pl (tajny_|tajnego_|prywatny_|prywatnego_)!klucz* klucz_(prywatny|dostępu|szyfrowania|licencyjny)
cs (tajný_|soukromý_|přístupový_)!klíč*
sv (hemlig_|privat_|åtkomst)!nyckel*
da_no (hemmelig_|privat_|adgangs)!nøgle* (hemmelig_|privat_|tilgangs)!nøkkel*
tr (gizli_|özel_|erişim_)!anahtar(ı|i|)
ru ключ*_(апи|доступа|шифрования|лицензии) апи_ключ*
ru (секретный_|секретного_|приватный_|закрытый_|секретним_)!ключ* токен* секрет_клиента
uk ключ*_(доступу|шифрування|ліцензії) (секретний_|секретного_|приватний_)!ключ*
el κλειδί_πρόσβασης μυστικό_κλειδί ιδιωτικό_κλειδί διακριτικό_πρόσβασης
ar مفتاح_(الوصول|التشفير|سري|خاص|السر|واجهة_برمجة_التطبيقات) المفتاح_(السري|الخاص)
ar رمز_(الوصول|المصادقة) الرمز_المميز
he מפתח_(סודי|פרטי|גישה|הצפנה) המפתח_(הסודי|הפרטי) אסימון_גישה טוקן
hi (एपीआई_|गुप्त_|निजी_|सीक्रेट_)!कुंजी टोकन (एपीआई_|सीक्रेट_)!की
th คีย์_(ลับ|ส่วนตัว) โทเค็น
id kunci_(rahasia|akses|pribadi|lisensi|enkripsi|privat)
vi khóa_(bí_mật|truy_cập|riêng_tư) khoá_(bí_mật|truy_cập) mã_truy_cập
zh 密钥 密鑰 金鑰 私钥 私鑰 令牌 权杖 權杖 秘钥 秘鑰
ja (api|シークレット|アクセス|プライベート|認証|暗号)!キー 秘密鍵 暗号鍵 署名鍵
ja 共有鍵 トークン シークレット
ko (api|비밀|액세스|개인|시크릿|암호화|인증|라이선스)!키 토큰 비밀키 시크릿
"""
PINS = """
any pin(_code|_kod*|_numarası|_nummer|_number|_saya|_anda|_码|_碼|_コード|_番号|_코드|_번호|_код|)
ru пин(_код|_кода|_кодом|) пін(_код|_коду|)
ar الرقم_السري رقم_سري رمز_!pin
he קוד_סודי
hi पिन(_कोड|)
zh 支付密码 取款密码 交易密码 提款密碼
ja 暗証番号
ko 핀번호 핀_번호 핀코드
"""
_LETTER = r"[^\W\d_]"
_JOINT = r"[ _.-]{0,2}"
_MARKS = "[\u0300-\u036f]"
# scripts whose words are parted: what touches a name there is of the same word
_PARTED = "\u024f\u0370-\u052f\u1e00-\u1fff"
_IS_PARTED = re.compile(rf"[A-Za-z\u00aa-{_PARTED}]")
_IS_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_LONG = 7
"""Letters of a name from which on it may be the end of a longer word, as in `Serverwachtwoord`."""
_TYPED_PLAIN = frozenset(("contraseña", "hasł", "şifre"))
"""Latin words that are also looked for without their accents: others are too many, or too short."""
_UNACCENTED = str.maketrans("łøıđ", "loid")
_NO_BLANKS = str.maketrans("", "", " _.-'\u2019")
_QUALIFIED = re.compile(r"(?:[_.-][a-z0-9_.-]{0,20}|[0-9]{1,2}(?![0-9]))?", re.ASCII)
_ENDING = " :=\"'\n\t"
_CAMEL = re.compile(r"\w{0,20}")


class SecretName(msgspec.Struct, frozen=True):
    """One name.

    Args:
        leads: what one of has to stand before the word that is looked for, without blanks.
        rest: what stands behind it; None for nothing.
        parted: its script parts words, so that letters that touch it make another word of it.
        joins: it may be the end of a longer word.
    """

    leads: tuple[str, ...]
    rest: re.Pattern[str] | None
    parted: bool
    joins: bool

    @property
    def is_plain(self) -> bool:
        """Whether it is a name wherever its word stands."""
        return not (self.leads or self.rest or self.parted)

    def end(self, text: str, folded: str, start: int, behind: int) -> int:
        """Where the name ends whose word stands there; 0 if it is another word.

        Args:
            text: what is searched.
            folded: the same in lower case.
        """
        if self.leads:
            before = folded[max(0, start - 24) : start].translate(_NO_BLANKS)
            if not before.endswith(self.leads):
                return 0
        elif self.parted and not self.joins and start and text[start - 1].isalpha():
            if not (text[start].isupper() and text[start - 1].islower()):
                return 0
        end = behind
        if self.rest:
            rest = self.rest.match(folded, behind)
            if not rest:
                return 0
            end = rest.end()
        return _whole(text, folded, end) if self.parted else end


def _whole(text: str, folded: str, end: int) -> int:
    """Where a name of a script that parts its words ends with what is joined to it, as in
    `senha_db` and `senhaDb`; 0 where it is only the beginning of a word."""
    after = text[end : end + 1]
    if after in _ENDING:
        return end
    if _IS_PARTED.match(after):
        if not (after.isupper() and text[end - 1].islower()):
            return 0
        camel = _CAMEL.match(text, end)
        return camel.end() if camel else end
    qualified = _QUALIFIED.match(folded, end)
    return qualified.end() if qualified else end


Names = dict[str, tuple[SecretName, ...]]
"""The names by the word of them that is looked for, in small letters."""


@cache
def names_of(table: str) -> Names:
    """The names of a table."""
    names: dict[str, list[SecretName]] = {}
    for row in table.strip().splitlines():
        for entry in row.split()[1:]:
            before, word, rest = _parts(entry)
            for form in _forms(word):
                parted = _IS_PARTED.match(form) is not None
                joins = parted and len(form) >= _LONG
                expression = re.compile(_expression(rest)) if rest else None
                name = SecretName(_leads(before), expression, parted, joins)
                names.setdefault(form, []).append(name)
    return {word: tuple(dict.fromkeys(some)) for word, some in names.items()}


def places_of_names(table: str, haystack: Haystack) -> Iterator[tuple[int, int]]:
    """From where to where the names of a table stand in a text, in no order."""
    names, text, folded = names_of(table), haystack.text, haystack.folded
    for word in haystack.possible(tuple(names)):
        size = len(word)
        for start in haystack.places_of(word, True):
            for name in names[word]:
                end = start + size
                if name.is_plain or (end := name.end(text, folded, start, end)):
                    yield start, end


def _parts(entry: str) -> tuple[str, str, str]:
    """What stands before the word that is looked for, the word, and what stands behind it."""
    before, _, word = entry.rpartition("!")
    ends = re.search(r"[_*(]|$", word)
    assert ends is not None
    return before, word[: ends.start()], word[ends.start() :]


def _leads(part: str) -> tuple[str, ...]:
    """Each of the texts that an entry's part stands for, without blanks."""
    texts = [""] if part else []
    for piece in re.findall(r"\([^)]*\)|[^(]+", part):
        options = piece[1:-1].split("|") if piece[0] == "(" else [piece]
        texts = [text + option for text in texts for option in options]
    plain = (text.translate(_NO_BLANKS) for text in texts)
    return tuple(dict.fromkeys(form for text in plain for form in _forms(text)))


def _forms(word: str) -> list[str]:
    """A word as it is, with its accents as signs of their own, and in Latin and Greek without."""
    apart = normalize("NFD", word)
    forms = [word, apart]
    if word in _TYPED_PLAIN or not _IS_LATIN.match(word):
        # as who has no such keys types it, or in capitals
        plain = "".join(sign for sign in apart if not combining(sign))
        forms += [plain.translate(_UNACCENTED)] if _IS_PARTED.match(word) else []
    return list(dict.fromkeys(forms))


def _longest_first(group: re.Match[str]) -> str:
    return f"({'|'.join(sorted(group[1].split('|'), key=len, reverse=True))})"


def _expression(rest: str) -> str:
    """What stands behind a word, as an expression for small letters."""
    out: list[str] = []
    for sign in re.sub(r"\(([^)]*)\)", _longest_first, rest):
        apart = normalize("NFD", sign)
        if sign == "_":
            out.append(_JOINT)
        elif sign == "*":
            out.append(rf"{_LETTER}{{0,6}}")
        elif sign == "'":
            out.append("['\u2019]?")
        elif len(apart) > 1 and _IS_PARTED.match(sign):
            out.append(f"(?:{sign}|{apart[0]}{_MARKS}{{0,2}})")
        else:
            out.append(sign)
    return "".join(out).replace("(", "(?:").replace("(?:?:", "(?:")
