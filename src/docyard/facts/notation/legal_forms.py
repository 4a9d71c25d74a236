"""Legal forms of companies: as they end a name in a text, and as the last words of a key."""

from __future__ import annotations

# In their own spelling and without the last dot, which a user of the pattern allows.
FORMS = (
    r"GmbH(?:\s?&\s?Co\.?\s?(?:KGaA|KG|OHG))?|gGmbH|GesmbH|AG(?:\s?&\s?Co\.?\s?(?:KGaA|KG))?|KGaA|KG|OHG|GbR"
    r"|UG(?:\s\(haftungsbeschränkt\))?|mbH|e\.\s?V|e\.\s?K|e\.?G(?!\w)|SE(?:\s?&\s?Co\.?\s?KGaA)?"
    r"|Inc|Incorporated|Corp|Corporation|L\.\s?L\.\s?C|LLC|L\.\s?L\.\s?P|LLP|L\.\s?P|LP"
    r"|(?:Pty\.?\s|Pte\.?\s|Pvt\.?\s|Co\.?,?\s)?(?:Ltd|Limited)|PLC|plc|P\.L\.C|N\.\s?A(?=\.)|Pte|Pty|Pvt"
    r"|S\.\s?A(?:\.\sde\sC\.V)?|SAS|S\.A\.S|SARL|S\.A\.R\.L|S\.à\sr\.l|SPRL|S\.?p\.?A|S\.?r\.?l"
    r"|B\.\s?V|BV|N\.\s?V|NV|A/S|ApS|Oyj?|ASA|AB|Sdn\.?\s?Bhd|Sdn|Bhd|S\.?L(?!\w)|Lda|d\.o\.o|s\.r\.o"
    r"|Sp\.\s?z\s?o\.\s?o|K\.K"
    r"|Co|Company|COMPANY|CO|CORPORATION|INCORPORATED|LIMITED|LTD|INC|CORP"
)
# Without the dots, as the words in which a key ends.
LEGAL_FORMS = frozenset(
    {
        *[
            "inc",
            "incorporated",
            "corp",
            "corporation",
            "co",
            "company",
            "llc",
            "llp",
            "lp",
            "lllp",
            "pllc",
            "pc",
            "pa",
            "ltd",
            "limited",
            "plc",
            "na",
        ],
        *["gmbh", "ggmbh", "mbh", "ag", "kg", "kgaa", "ohg", "gbr", "ug", "se", "eg", "ev", "ek"],
        *[
            "sa",
            "sas",
            "sasu",
            "sarl",
            "sprl",
            "eurl",
            "sca",
            "snc",
            "spa",
            "srl",
            "srls",
            "sapa",
            "bv",
            "nv",
            "cv",
            "vof",
            "ab",
            "asa",
            "aps",
            "oy",
            "oyj",
            "as",
        ],
        *[
            "sl",
            "slu",
            "lda",
            "ltda",
            "eireli",
            "doo",
            "sro",
            "zoo",
            "kft",
            "nyrt",
            "zrt",
            "bhd",
            "pty",
            "pte",
            "pvt",
            "kk",
        ],
        *("co ltd", "co inc", "co llc", "company limited", "company inc", "co kg", "and co kg", "and co"),
        *(
            "and company",
            "gmbh and co kg",
            "gmbh and co ohg",
            "gmbh and co",
            "ag and co kg",
            "ag and co kgaa",
        ),
        *("se and co kgaa", "ug haftungsbeschrankt", "haftungsbeschrankt", "pty ltd", "pte ltd", "pvt ltd"),
        *("private limited", "public limited company", "limited liability company", "limited partnership"),
        *(
            "limited liability partnership",
            "sa de cv",
            "s a",
            "s p a",
            "s r l",
            "s a r l",
            "b v",
            "n v",
            "a s",
        ),
        *(
            "a g",
            "l l c",
            "l p",
            "l l p",
            "e v",
            "sp z o o",
            "sp zoo",
            "sp z oo",
            "s r o",
            "d o o",
            "sdn bhd",
        ),
        *("g m b h", "p l c", "k k", "e k", "n a", "sa rl", "s a s", "s l", "and co ohg"),
    }
)
# Without spaces; what is missing here is its own word.
SAME_FORM = {
    **dict.fromkeys(("incorporated", "coinc", "companyinc"), "inc"),
    "corporation": "corp",
    **dict.fromkeys(("company", "andco", "andcompany"), "co"),
    **dict.fromkeys(("limited", "coltd", "companylimited"), "ltd"),
    **dict.fromkeys(("ptyltd", "pteltd", "pvtltd", "privatelimited"), "ltd"),
    "publiclimitedcompany": "plc",
    **dict.fromkeys(("limitedliabilitycompany", "collc"), "llc"),
    "limitedpartnership": "lp",
    "limitedliabilitypartnership": "llp",
    "spzoo": "zoo",
    "ughaftungsbeschrankt": "ug",
}
