import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parasci import Definition, definition
from silverloom.ops.parasci.short_forms import expansions_of
from silverloom.ops.parasci.terms import normal_form, singular


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        # Dong et al. (2021), 3.2, 4.1.2 and Table 7
        ("Word sense disambiguation (wsd) is the task of identifying the correct meaning of a word in context.",
         "Word sense disambiguation"),
        ("The process of identifying the correct meaning, or sense of a word in context, is known as word sense "
         "disambiguation (wsd).", "word sense disambiguation"),
        ("Sentence compression is the task of producing a shorter form of a single given sentence, so that the new "
         "form is grammatical.", "Sentence compression"),
        ("Sentence compression is a task of creating a short grammatical sentence by removing extraneous words.",
         "Sentence compression"),
        ("relation extraction ( re ) is the task of determining semantic relations between entities mentioned in "
         "text .", "relation extraction"),
        # one for each pattern
        ("Code-switching refers to the alternation of two or more languages in a conversation.", "Code-switching"),
        ("The term “smart home” refers to a living environment that has sensors.", "smart home"),
        ("Linker accuracy is defined as the fraction of all mentions whose link is right.", "Linker accuracy"),
        ("In this paper, we define an opinion unit as a triple of feature, expression and attitude.", "opinion unit"),
        ("By discourse entity we mean a class of coreferent noun phrases.", "discourse entity"),
        ("The goal of semantic parsing is to map natural language to a meaning representation.", "semantic parsing"),
        ("Stance detection aims to detect whether the opinion holder is in support of a given target.",
         "Stance detection"),
        ("Grammatical Error Correction (GEC) is concerned with correcting grammatical errors.",
         "Grammatical Error Correction"),
        ("We turn to text infilling, the task of predicting missing spans of text at any position.", "text infilling"),
        ("We use natural language inference (NLI), which is the task of determining entailment.",
         "natural language inference"),
        ("We train perceptrons and use beam search, which is an algorithm that keeps the best few candidates.",
         "beam search"),
        ("It relies on a conditional random field (CRF), which is a model that labels all words at once.",
         "conditional random field"),
        ("In single-step retrosynthesis, the goal is to find the likely precursors of a product.",
         "single-step retrosynthesis"),
        ("The task of word alignment consists of finding correspondences between words in parallel texts.",
         "word alignment"),
        ("In our terms, a relation mention is a sequence of text which states that some ground fact is true.",
         "relation mention"),
        ("The Dice Coefficient (Dice, 1945) is a statistic that measures association.", "Dice Coefficient"),
        ("BLEU [2] is a metric that compares n-grams with those of references.", "BLEU"),
        ("Named entity recognition (NER) identifies the spans of a text that are names.", "Named entity recognition"),
        ("Parsing is an important task that assigns a syntactic structure to a sentence.", "Parsing"),
        ("We study code-switching (the practice of alternating between languages).", "code-switching"),
        ("Two papers tackle morphological reinflection—the task of producing one word form from another.",
         "morphological reinflection"),
        ("Quality estimation (QE), a task of predicting how good a translation is, needs no reference.",
         "Quality estimation"),
        ("Given a context, the goal of response selection is to find the best answer.", "response selection"),
        ("Given a word in a text, the task of word sense disambiguation is to choose its sense.",
         "word sense disambiguation"),
        ("The purpose of text simplification is to turn difficult texts into easy ones.", "text simplification"),
        ("Handwriting recognition is the automatic transcription of handwritten documents.",
         "Handwriting recognition"),
        ("Ellipsis is a natural language phenomenon where a part of a sentence is missing.", "Ellipsis"),
        ("Stance detection is an important task which aims to classify the attitude of a text.", "Stance detection"),
        ("UKB is an open-source toolkit that disambiguates the words of a text.", "UKB"),
        ("We study semantic parsing (i.e. the task of mapping sentences to logical forms).", "semantic parsing"),
        ("This is paradigm completion -- the task of producing the forms of a lemma.", "paradigm completion"),
        ("Hinge loss is a linear loss that penalises examples within the margin.", "Hinge loss"),
        # any genus; the second and third are of Table 7
        ("A black hole is a region of spacetime from which nothing can escape.", "black hole"),
        ("Cosmic strings are linear topological defects that can form in the early universe as a result of "
         "symmetry-breaking phase transitions.", "Cosmic strings"),
        ("Cosmic strings are one-dimensional massive objects, which may appear as topological defects at the "
         "spontaneous symmetry breaking in the early universe.", "Cosmic strings"),
        ("Event detection (ED) is a task that requires capturing the triggers of events.", "Event detection"),
        ("Event Detection (ED) is a crucial subtask in Information Extraction, which aims to find events.",
         "Event Detection"),
        ("Sepsis is a poorly understood and potentially life-threatening complication that can occur after wounds.",
         "Sepsis"),
        ("Gout, or podagra, is a relatively common disorder characterized by painful joints.", "Gout"),
        ("Silk farming is the rearing of silkworms for their threads.", "Silk farming"),
        ("The hair follicle is an organ of the skin that produces hair.", "hair follicle"),
        ("A projection is a map from the symbols of a grammar onto fewer ones.", "projection"),
        ("Unlike a filter, a prism is a transparent body whose faces are not parallel.", "prism"),
        ("Meiosis is a division during which the number of chromosomes is halved.", "Meiosis"),
        ("A field which is neither even nor odd is called a mixed field.", "mixed field"),
        ("A false positive occurs when a test finds what is not there.", "false positive"),
        # near those that define nothing: reliance that tells how, a number after what it is, a word that is quoted
        ("Lazy learning is an approach that relies on storing all examples of a task.", "Lazy learning"),
        ("Gout is a disease that affects about 2% of adults and is caused by crystals in the joints.", "Gout"),
        ("“Chunking” is the task of dividing a sentence into phrases.", "Chunking"),
        ("A path is a sequence of nodes v1, ..., vn that are joined by edges.", "path"),
        ("Entailment is the fundamental task of deciding whether one text follows from another.", "Entailment"),
        ("An invalid span is any span for which our tree has a node of one child.", "invalid span"),
        ("“Misses” are positive examples of a class that are taken for negative ones.", "Misses"),
        ("We define a treebank simply as a collection of texts that have been parsed.", "treebank"),
        ("Weakly supervised learning is the task of learning from noisy labels.", "Weakly supervised learning"),
        # any one of several, kinds that are told apart later, means, aims, compounds, what holds other things
        ("The apex of a cone is a node which all of its edges share.", "apex"),
        ("The Branching Factor of a tree is defined as the mean number of its children.", "Branching Factor"),
        ("The brevity penalty is defined as the ratio of both lengths.", "brevity penalty"),
        ("The Precision is defined as the share of labels that are right.", "Precision"),
        ("Rules that have no right side are called empty rules.", "empty rules"),
        ("KLF4 is a member of the zinc finger proteins that bind to DNA.", "KLF4"),
        ("The Polar Institute is a facility of the Science Foundation operated under an agreement.",
         "Polar Institute"),
        ("The F-score is the harmonic mean of precision and recall.", "F-score"),
        ("Stance detection is an important task of text analysis (TA), aiming to classify attitudes in texts.",
         "Stance detection"),
        ("SOX2 is a transcription factor expressed in stem cells of the embryo.", "SOX2"),
        ("An atom is a minimal structure specifying the polarity of an expression.", "atom"),
        ("FreeBase is a community effort to extract facts from the pages of the web.", "FreeBase"),
        ("Definition 3.1 A chunk is a sequence of words that belong together.", "chunk"),
        ("As in optics, a prism is a transparent body whose faces are not parallel.", "prism"),
        ("The Verb Atlas (Lee, [12]) is a resource covering the verbs of five languages.", "Verb Atlas"),
        # short forms within a name, measures, formal definitions, what changes another thing
        ("The Hidden Tree (HT) model (Lee 1999) is a technique that is used to estimate the parents of words.",
         "Hidden Tree"),
        ("Inhibitor of growth 4 (ING4, [29]) is a gene that slows the growth of cells.", "Inhibitor of growth 4"),
        ("Aquaporin-2 (AQP2) is a protein belonging to a family of water channels.", "Aquaporin-2"),
        ("Plexin B2 is a member of the plexin family of the mouse.", "Plexin B2"),
        ("Lexical pragmatics aims at describing how words are understood in a context.", "Lexical pragmatics"),
        ("A tree grammar is a triple (N, T, R), where N and T are sets of symbols.", "tree grammar"),
        ("A head automaton is a 5-tuple: states, an initial one, final ones, symbols and steps.", "head automaton"),
        ("Formally, a head grammar is a 4-tuple: terminals, nonterminals, an initial symbol and rules.",
         "head grammar"),
        ("In [12] an index is defined as a table of words with their places.", "index"),
        ("Fault finding, also referred to as debugging, is the process of finding what is wrong.", "Fault finding"),
        ("A centre, in this context, is a text which consists of frequent words.", "centre"),
        ("Dilation, as introduced in [7], is a technique for widening the window of a filter.", "Dilation"),
        ("Spectrum based fault finding is a heuristic that counts which lines failed.",
         "Spectrum based fault finding"),
        ("A vector v is called a lower bound for f at x if f(y) is never below v.", "lower bound"),
        ("The leaf coverage is the percentage of leaves that a rule reaches.", "leaf coverage"),
        ("Mean depth is the average depth assigned to the leaves of a tree.", "Mean depth"),
        ("SLA is an approximation to the likelihood of a table of counts.", "SLA"),
        ("XBar is an extension of a grammar, in that it has features at every node.", "XBar"),
        ("A core clause is defined as the largest clause without adjuncts.", "core clause"),
    ],
)  # fmt: skip
def test_the_defined_term_is_tagged(sentence, term):
    found = definition(sentence)
    assert found == Definition(term, (sentence.index(term), sentence.index(term) + len(term)))


@pytest.mark.parametrize(
    "sentence",
    [
        "Question answering is an important task for many applications of language technology.",
        "It is the task of finding the right sense of a word in its context.",
        "This model is a network that reads the words one by one.",
        "The parser is a program that reads sentences from left to right.",
        "We used the task of finding the sense of a word as our benchmark.",
        "Please refer to the supplementary material for the details of our training.",
        "The goal of this paper is to find the sense of a word in context.",
        "Our approach aims to find the sense of a word in its context.",
        "We use our own parser, which is a program that reads sentences from left to right.",
        "It was late, which is a problem that all of us have.",
        "TextRank aims to extract the sentences that matter most.",
        "Dialogue state tracking aims to improve the quality of answers.",
        "In addition to tagging, the process of collecting data is described below.",
        "The entropy of the distribution is defined as follows:",
        "Modularity is achieved through the ability to define templates that are shared.",
        "Named entity recognition is a task that remains difficult for texts of the web.",
        "Preliminary analysis identifies different attitudes towards one event.",
        "Error detection identifies problems of the corpus.",
        "DeXpression extracts features and classifies images.",
        "Parsing is an important task that helps many applications.",
        "Parsing is an important task that aims to support many applications.",
        "Parsing is an important task that aims to be of use to others.",
        "Tagging is a natural choice that many have made before us.",
        "Kappa is defined as",
        "Sepsis is a leading cause of death in hospitals of all countries.",
        "The decoder is a network with two layers of equal width.",
        "Messages are classified by looking for words that show a mood.",
        "Natural languages are full of words that occur together.",
        "The backbone of the detector is a network that is fast and accurate.",
        "A black hole is a topic that has received much attention.",
        "Osteoporosis is a matrix with about 38 million entries.",
        "Deep learning is a data-driven approach which relies significantly on the amount of training data.",
        "Stemming is a method that heavily depends on the language of the text.",
        "Gout is a disease that affects about 5 million people in the world.",
        "Gout is a disorder found in about 2% of adults.",
        "Gout is a rare disorder affecting about one in 2,000 people.",
        "Fine Tuning (FT) is the standard method of adapting a pre-trained model.",
        "“Gout is a disease that is caused by crystals in the joints.”",
        "Gout is a disease that is caused by crystals. . . ”",
        "Register is an area in which our understanding is limited.",
        "Pitman-Yor processes are examples of models without parameters.",
        "It is equivalent to a maximum likelihood model, which is the type of model used here.",
        "A mismatch is defined as none of the above.",
        "DUF21 is a newly defined domain with unknown function.",
        "Positional cloning identifies the mon gene as the ortholog of another gene.",
        "Effective dialogue involves grounding, the process of establishing mutual knowledge.",
        "Chemically rafts are defined as membranes that are resistant to extraction.",
        "There exist finitely many limit groups, QL_1, \\ldots , QL_m , which are quotients of C and such that it holds.",
        "Considering relations merged with similarity, the task of judging tags becomes easier.",
        "Binary search divides both sets into two pairs of smaller sets.",
        "Also related is the problem of predicting which papers should be cited.",
        "Adversarial training is a successful method that works for many problems.",
        "ResNeXt is the foundation of our entries to the task of the year.",
        "Event extraction is a classification task of practical utility.",
        "Paraphrasing is an important task demonstrating the ability to abstract a meaning.",
        "Machine Translation (MT) is a sub-field of NLP which has experienced a number of shifts.",
        "Docria is a library which attempts to address this issue by storing layers.",
        "Notable are a shortened streak and the absence of a proper node.",
        "The construction of a parser is a process that combines many people.",
        "The size of a template is defined as the number of its slots.",
        "The loss is defined as the sum of both.",
        "The rule probability is defined as P(S | rose).",
        "Eqn. ([reference]) refers to the densely connected path between two blocks.",
        "HOMER is a member of the family of proteins.",
        "Parsing is an important task, aiming to improve the quality of translations.",
        "Spelling is a factor expressed in numbers.",
        "As a kind of extraction, part extraction is an area that presents unique challenges.",
        "The size of a template is the largest number of its slots.",
        "The leaf coverage is the average coverage over five runs.",
        "The core repair step is a search that keeps the best few candidates.",
        "The ABC archive is the largest archive of letters.",
        "The core technique is a search that keeps the best few candidates.",
        "Document B2 is a text that no reader found.",
        "Our model is an extension of the grammar, in that it has features.",
        "TreeNet is an extension of earlier networks of the same group.",
        "A step is a pair of numbers.",
        "Based methods are graphs that no reader found.",
        "Phase 2 (see below) is a process that takes a day.",
        "N-gram matching is defined as an alternative for the discrete metric of translations.",
        "",
        "Eine Definition ist die Aufgabe, einen Begriff zu bestimmen.",
        " ".join(["word"] * 1000),
        "Virgil refers to Achilles as a savage and a merciless butcher of men.",
        "Russell also refers to Aristotle's ethics as repulsive, and calls his logic antiquated.",
        "Translation quality estimation is a task of growing importance in many areas of language technology.",
        "Unsupervised parsing is a difficult task that infants readily perform.",
        "Androids are a staple of science fiction.",
    ],
)
def test_a_sentence_that_defines_nothing_has_no_term(sentence):
    assert definition(sentence) is None


@given(
    st.text(), st.sampled_from(["is the task of finding", "is defined as a", "refers to the", "is a kind of"])
)
def test_a_term_is_where_its_span_says_in_any_text(text, verb):
    sentence = f"{text} {verb} {text} things that are found in texts"
    found = definition(sentence)
    if found is not None:
        assert sentence[slice(*found.span)] == found.term
        assert found.term == found.term.strip()


def test_mentions_of_one_term_have_one_normal_form():
    known = {"WSD": "word sense disambiguation"}
    forms = {
        normal_form(term, known)
        for term in (
            "WSD",
            "Word Sense Disambiguation",
            "word-sense disambiguation",
            "word sense disambiguations",
        )
    }
    assert forms == {"word sense disambiguation"}
    assert normal_form("Support Vector Machines") == normal_form("support-vector machine")
    assert normal_form("text summarisation") == normal_form("Text summarization")
    assert normal_form("promise detection") == "promise detection"
    assert normal_form("SVMs", {"SVM": "support vector machine"}) == "support vector machine"
    assert normal_form("bilingual lexicon induction") != normal_form("lexicon induction")


@pytest.mark.parametrize(
    ("plural", "word"),
    [("treebanks", "treebank"), ("entities", "entity"), ("analyses", "analysis"), ("corpora", "corpus"),
     ("classes", "class"), ("pragmatics", "pragmatics"), ("analysis", "analysis"), ("corpus", "corpus"),
     ("process", "process"), ("bus", "bus"), ("as", "as"), ("indexes", "index"), ("phrases", "phrase"),
     ("indices", "index"), ("matrices", "matrix"), ("hypotheses", "hypothesis"), ("lens", "lens"),
     ("lenses", "lens"), ("criteria", "criterion"), ("automata", "automaton"), ("phenomena", "phenomenon"),
     ("vertices", "vertex"), ("thesauri", "thesaurus"), ("ontologies", "ontology"), ("synsets", "synset"),
     ("subclasses", "subclass"), ("boxes", "box"), ("data", "data"), ("media", "media"), ("news", "news"),
     ("series", "series"), ("statistics", "statistics"), ("SVMs", "SVM"), ("biLSTMs", "biLSTM")],
)  # fmt: skip
def test_a_plural_is_recognised_by_dictionary_and_ending(plural, word):
    assert singular(plural) == word


def test_abbreviations_are_expanded_as_the_paper_introduces_them():
    sentences = [
        "Named entity recognition (NER) finds names.",
        "We use conditional random fields (CRFs; Lafferty et al., 2001) for it.",
        "Others call named entity rewriting (NER) so.",
        "It is shown below (Table 1), (see also BLEU), and in Paris (France).",
        "We thank the National Science Foundation (XYZ).",
    ]
    assert expansions_of(sentences) == {"NER": "Named entity recognition", "CRF": "conditional random fields"}


@given(st.lists(st.text(), max_size=4))
def test_expansions_are_found_in_any_text(sentences):
    for short, long in expansions_of(sentences).items():
        assert any(long in " ".join(sentence.split()) for sentence in sentences)
        assert len(long) > len(short)
