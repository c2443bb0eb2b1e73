"""Texts of every kind that tokenizers disagree about, and what models' own tokenizers make of them."""

TEXTS = (
    "", " ", "  ", "\n", "\r\n", "\t\t", "a", "hello world", "Hello, World!", "  leading and trailing  ",
    "I'm sure they'll say it's what we'd've done, ISN'T IT? 'Tis; rock 'n' roll",
    "antidisestablishmentarianism supercalifragilisticexpialidocious", "camelCaseName snake_case_name KEBAB-CASE",
    "1 12 123 1234 12345 123456789 3.14159 1,000,000.00 -7 +49 (0)30 2026-11-22T07:35:43Z 0xFF 1e-9",
    'def f(x: int) -> str:\n    """Doc."""\n    return f"{x:>8}"\n\n\nclass A(B):\n\tpass\n',
    '{"id":"call_8f3a","name":"search_flights","arguments":{"from":"SFO","to":"JFK","pax":[1,2,3],"q":null}}',
    "for (;;) { if (a && b || !c) { x += y << 2; } } // ---- ==== #### **** //// <<<< >>>>",
    "SELECT * FROM t WHERE a <> 'b''c' AND d IN (1,2,3) -- comment\n;", "<html><body class=\"x\">&nbsp;</body></html>",
    "https://example.com/a/b?c=d&e=%20f#g user@example.org C:\\Users\\x\\y.txt /usr/local/bin/python3.11",
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nValueError: invalid literal\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n  - nested\n\n> quote\n\n```py\nx\n```\n", "\n\n\n   \n\t\n  x\n \n",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15",
    "Grüße aus Köln, naïve café, Ærøskøbing, Łódź, Đà Nẵng, İstanbul ıI ſ K", "e\u0301 a\u0308 n\u0303 o\u0302\u0323 cafe\u0301",
    "Привет, как дела? Съешь ещё этих мягких французских булок", "Καλημέρα κόσμε", "שלום עולם", "مرحبا بالعالم ١٢٣", "नमस्ते दुनिया १२३",
    "สวัสดีชาวโลก", "你好，世界！今天天气怎么样？", "お誕生日おめでとう。カタカナとひらがな", "안녕하세요 세계 각", "漢字かな交じり文 mixed with English 123",
    "🙂 👩‍👩‍👧🏽 🇩🇪 ❤️ ✅ → ∑ ≠ € ½ Ⅳ ² ™", "\u00a0nbsp\u2003em\u200bzero\u3000wide\u2028line", "\x00\x01\x7f\x85", "\ufeffbom \ufffd",
    "a" * 300, "=" * 300, " " * 300 + "x", "\n" * 50, "ab " * 100, "0" * 100, "你" * 100, "-_" * 60,
)  # fmt: skip
SPECIAL = ("<|endoftext|>", "<|im_start|>system", "<think>x</think>", "[INST] <s>", "<|think|>")
"""Spelt like special tokens: text of a user's like any other."""

DIGESTS = {
    "o200k_base": ("86dfa517dec5bb6a", 979),
    "cl100k_base": ("52d24729cb2f45de", 1081),
    "llama3": ("d95a24c7c980bd4b", 1006),
    "qwen3": ("0c85454956495eb3", 1121),
    "deepseek_v3": ("22ed7693e53797fe", 1010),
    "mistral_v2": ("58e2174dca8f79e6", 1377),
    "mistral_v3": ("8434265e6a0608ad", 1286),
}
"""Of the numbers of all tokens of TEXTS, and how many they are, as made by tiktoken's own encodings;
Meta's tokenizer.model of Llama 3.1; Qwen's own of DashScope, texts composed; the tokenizer.json of
DeepSeek V3, and of V4; mistral-common 1.13.1 (v1 to v7, with the numbers of v3; and Tekken 240718
and 240911)."""
