"""Names that columns look for: of languages and of metrics, as papers write them."""

from __future__ import annotations

import re

# Without names that are other words as often: Even, Mon, Fang, Ga, Ewe, Ido.
LANGUAGES = frozenset(
    "Afrikaans Akan Albanian Amharic Arabic Aragonese Armenian Assamese Asturian Avar Aymara Azerbaijani Balinese "
    "Bambara Bashkir Basque Belarusian Bengali Bhojpuri Bislama Bosnian Breton Bulgarian Burmese Cantonese Catalan "
    "Cebuano Chechen Cherokee Chichewa Chinese Chuvash Coptic Cornish Corsican Croatian Czech Danish Dari Dogri Dutch "
    "Dzongkha English Erzya Esperanto Estonian Faroese Farsi Filipino Finnish French Frisian Fula Galician Georgian "
    "German Greek Greenlandic Guarani Gujarati Haitian Hausa Hawaiian Hebrew Hindi Hmong Hungarian Icelandic Igbo "
    "Ilocano Indonesian Inuktitut Irish Italian Japanese Javanese Kannada Kashmiri Kazakh Khmer Kikuyu Kinyarwanda "
    "Kirundi Konkani Korean Kurdish Kyrgyz Lao Latin Latvian Lingala Lithuanian Luganda Luxembourgish Macedonian "
    "Maithili Malagasy Malay Malayalam Maltese Mandarin Manipuri Maori Marathi Mongolian Nahuatl Navajo Nepali "
    "Norwegian Occitan Odia Oriya Oromo Ossetian Papiamento Pashto Persian Polish Portuguese Punjabi Quechua Romanian "
    "Romansh Russian Rusyn Samoan Sanskrit Sardinian Scots Serbian Sesotho Setswana Shona Sindhi Sinhala Slovak "
    "Slovene Slovenian Somali Sorbian Spanish Sundanese Swahili Swedish Syriac Tagalog Tajik Tamil Tatar Telugu Thai "
    "Tibetan Tigrinya Tongan Tsonga Tswana Turkish Turkmen Twi Udmurt Ukrainian Urdu Uyghur Uzbek Vietnamese Welsh "
    "Wolof Xhosa Yiddish Yoruba Zulu".split()
)
# A people or a place has the name of its language: `Chinese patients` tells none.
_NOT_LANGUAGE_NEXT = re.compile(
    r"\s(?:patients?|people|populations?|adults?|children|women|men|cohorts?|government|restaurant|medicine|"
    r"doctors?|physicians?|practices?|guidelines?|health|stud(?:y|ies)|trials?|group|team|researchers?|Health|Institute|"
    r"Central|Bureau|Ministry|Data|Society|College|Association|Hospitals?|Government|Federal|Union|Council|"
    r"universit(?:y|ies)|academy|market|companies|students|hospitals?|participants?|subjects|individuals|herbs?|"
    r"Sign|Restaurant|Academy|University|National|origin|descent|ancestry|Han)\b"
)
_ON_LANGUAGE = re.compile(
    r"languag|translat|\bsp(?:eak|oke)|corpus|corpora|\btext|\bwords?\b|parallel|sentence|\bpars(?:e|ing)|treebank|"
    r"lingual|linguist|written|published in|vocabular|morpholog|dialect|utterance|transcri|"
    r"\b[A-Z][a-z]+(?:-to-|[-–/→])[A-Z][a-z]+",
    re.IGNORECASE,
)
"""Without any of these a sentence hardly names a language: `the Norwegian Data Inspectorate`."""
_LANGUAGE = re.compile(r"\b[A-Z][a-z]+\b")

_METRIC_PATTERNS = (
    r"[Ss]acre\s?BLEU", r"BLEU(?:-[1-4])?", r"ROUGE(?:-(?:[12LNSU]|SU4|Lsum))?", r"METEOR", r"chrF(?:\+\+|\d)?",
    r"BERT\s?[Ss]core", r"BLEURT", r"COMET(?:-\w+)?", r"BARTScore", r"TER", r"WER", r"CER",
    r"(?:[Mm]icro|[Mm]acro|[Ww]eighted)[- ](?:averaged? )?F[- ]?1(?:[- ]?(?:score|measure))?s?",
    r"F[- ]?1(?:[- ](?:score|measure))?s?",
    r"F[- ](?:score|measure)s?", r"[Aa]ccurac(?:y|ies)", r"[Pp]recision(?! medicine)",
    r"[Rr]ecall@\d+", r"(?<![Ww]e )[Rr]ecall(?! (?:that|bias|the|from))", r"[Ee]xact [Mm]atch",
    r"[Pp]erplexit(?:y|ies)", r"MRR(?:@\d+)?", r"nDCG(?:@\d+)?|NDCG(?:@\d+)?", r"MAP@\d+", r"[Hh]its?@\d+",
    r"[Pp]ass@\d+", r"R-[Pp]recision", r"mean (?:reciprocal rank|average precision|absolute error|squared error)",
    r"root mean squared? error", r"RMSE", r"MSE", r"MAE", r"MAPE", r"mIoU|IoU", r"AUROC|AUPRC|AUC(?:-ROC)?",
    r"area under the (?:receiver operating characteristic )?curve", r"[Ss]ensitivity(?! analys)", r"[Ss]pecificity",
    r"(?:positive|negative) predictive value", r"[Oo]dds ratios?", r"[Hh]azard ratios?", r"[Rr]elative risks?",
    r"[Rr]isk ratios?", r"(?:[Ss]tandardi[sz]ed )?[Mm]ean differences?", r"Cohen['’]s (?:kappa|d)",
    r"Fleiss['’]s? kappa",
    r"Krippendorff['’]s alpha", r"inter-annotator agreement",
    r"(?:Pearson|Spearman)(?:['’]s)?(?: (?:rank )?correlation)?",
    r"Kendall['’]s [Tt]au", r"Matthews correlation(?: coefficient)?", r"MCC", r"UAS", r"LAS", r"SARI", r"CIDEr",
    r"MAUVE", r"Smatch|SMATCH", r"CoNLL F1", r"V-measure", r"NMI", r"silhouette(?: score)?",
    r"Brier score", r"expected calibration error", r"ECE", r"FID", r"PSNR", r"SSIM",
    r"[Dd]ice(?: (?:score|coefficient))?",    r"EER", r"[Bb]its per (?:character|byte)", r"SQuAD F1",
)  # fmt: skip
METRIC = re.compile(rf"(?<![\w-])(?:{'|'.join(_METRIC_PATTERNS)})(?![\w@]|\s\d{{3,5}}\b)")
_COMMON_METRIC = re.compile(r"precision|recall|sensitivity|specificity|accurac(?:y|ies)", re.IGNORECASE)
_MEASURED = re.compile(
    r"\d\s?%|\b0?\.\d\d|\bF-?1\b|\bF-(?:score|measure)|\bprecision(?:,| and) recall|\brecall(?:,| and) precision|"
    r"sensitivity(?:,| and) specificity|\bmetrics?\b|\bevaluat|\bscores?\b|outperform|state[- ]of[- ]the[- ]art|"
    r"\b(?:classification|parsing|tagging|test|translation|prediction|diagnostic|higher|highest|better|best) accuracy|"
    r"accuracy of",
    re.IGNORECASE,
)
"""What a sentence holds that measures by such a word."""
_SENTENCE_START = 2
"""Characters of a sentence in which a word has a capital because it is the first."""
COUNT_NOUNS = frozenset(
    "patients patient participants participant subjects subject individuals adults children women men people persons "
    "students volunteers respondents cases controls mice rats animals families infants newborns pregnancies "
    "athletes workers nurses physicians households samples specimens eyes teeth "
    "sentences documents tokens utterances examples instances questions pairs dialogues dialogs tweets articles "
    "papers abstracts annotators speakers images words posts reviews recordings conversations paragraphs "
    "studies trials".split()
)
PEOPLE_NOUNS = frozenset(
    "patients patient participants participant subjects subject individuals adults children women men people persons "
    "students volunteers respondents infants newborns mice rats animals".split()
)


def languages_in(text: str) -> tuple[tuple[str, int], ...]:
    """The names of languages in `text`, each with its place in characters."""
    if not _ON_LANGUAGE.search(text):
        return ()
    return tuple(
        (match.group(), match.start())
        for match in _LANGUAGE.finditer(text)
        if match.group() in LANGUAGES and not _NOT_LANGUAGE_NEXT.match(text, match.end())
    )


def metrics_in(text: str) -> tuple[tuple[str, int], ...]:
    """The names of metrics in `text`, each with its place in characters."""
    measured = _MEASURED.search(text) is not None
    return tuple(
        (match.group(), match.start())
        for match in METRIC.finditer(text)
        # `Precision` and the like are words of other things, too.
        if not _COMMON_METRIC.fullmatch(match.group())
        or (measured and (match.group().islower() or match.start() < _SENTENCE_START))
    )
