"""Compute the features of a pronoun and its candidate entities, as numbers.

Belongs here: computing the features. Not here: their names and order (feature_names.py), the properties of a
pair that they are computed from (pairs.py), choosing candidates (entities.py), weighing the features
(network.py).
"""

from __future__ import annotations

from math import log

from silverloom.ops.coreference import titles
from silverloom.ops.coreference.entities import Antecedent, Entity
from silverloom.ops.coreference.feature_names import (
    CandidateFeatures,
    Context,
    Distance,
    EntityFeatures,
    Grammar,
    Mentions,
    NoneFeatures,
    Place,
    PronounFeatures,
    RoleFeatures,
    candidate_vector,
    none_vector,
)
from silverloom.ops.coreference.lexicon import SAYING
from silverloom.ops.coreference.mentions import Anaphor, Mention
from silverloom.ops.coreference.pairs import (
    LONGEST,
    OBJECTS,
    SUBJECTS,
    Earlier,
    Pair,
    Rivals,
    chain,
    commands,
    controls,
    is_main,
    relates,
    steps,
    violates_binding,
)
from silverloom.ops.coreference.tokens import DocumentTokens

_PLACES = ("GPE", "LOC", "FAC")
_PREPOSITIONS = {
    "behind_by": ("by",),
    "behind_with": ("with",),
    "behind_of": ("of",),
    "behind_in_at_on_from_near": ("in", "at", "on", "from", "near"),
    "behind_to_for": ("to", "for"),
    "behind_as_like_than": ("as", "like", "than"),
}
_QUOTES = frozenset({'"', "``", "''", "“", "”"})
_ROLES = {role: RoleFeatures(**{role: 1.0}) for role in RoleFeatures._fields}


def features(
    tokens: DocumentTokens, anaphor: Anaphor, candidates: list[Antecedent], earlier: list[Earlier]
) -> list[list[float]]:
    """Return a row of `WIDTH` numbers per candidate, in order, and a last row for "none of them"."""
    title, gender = tokens.title, anaphor.pronoun.gender
    fits = [_fit(candidate.entity, anaphor.mention.female, title) for candidate in candidates]
    named = [
        fit
        for candidate, fit in zip(candidates, fits, strict=True)
        if title and title.names(candidate.entity.words)
    ]
    last = [pronoun for pronoun in earlier if pronoun.anaphor.pronoun.gender == gender]
    opposite = [pronoun for pronoun in earlier if pronoun.anaphor.pronoun.gender != gender]
    of_pronoun = _pronoun(tokens, anaphor, candidates, fits)
    rivals = Rivals.of(candidates, fits)
    rows: list[list[float]] = []
    for candidate, fit in zip(candidates, fits, strict=True):
        pair = Pair.of(tokens, anaphor, candidate, fit)
        features = CandidateFeatures(
            distance=_distance(pair, rivals),
            role=_ROLES[pair.nearest.role],
            grammar=_grammar(pair),
            kind=_kind(pair, rivals),
            mentions=_mentions(pair, rivals),
            chain=chain(candidate, last, opposite, anaphor.mention),
            pronoun=of_pronoun,
            place=_place(tokens, pair.nearest),
            context=_context(pair, rivals),
            title=titles.of_candidate(title, candidate.entity.words, len(named) == 1),
        )
        rows.append(candidate_vector(features))
        rivals.passed(pair)
    of_title = titles.of_none(title, anaphor.mention.female, named)
    rows.append(none_vector(_none(anaphor, candidates, fits, last), of_title))
    return rows


def _distance(pair: Pair, rivals: Rivals) -> Distance:
    nearest, pronoun, back = pair.nearest, pair.pronoun, pair.sentences_back
    gap = nearest.start - pronoun.end if pair.only_after else pronoun.start - nearest.end
    return Distance(
        is_candidate=1.0,
        only_after=pair.only_after,
        same_sentence=back == 0 and not pair.only_after,
        one_sentence_back=back == 1,
        two_sentences_back=back == 2,
        farther_back=back >= 3,
        log_tokens_between=log(1.0 + max(gap, 0)) / 5.0,
        nearer_candidates=min(rivals.nearer, 5) / 5.0,
        nearest=rivals.nearer == 0 and not pair.only_after,
        second_nearest=rivals.nearer == 1,
    )


def _grammar(pair: Pair) -> Grammar:
    tokens, anaphor, nearest = pair.tokens, pair.anaphor, pair.nearest
    subject, an_object, owner = (
        nearest.role in SUBJECTS,
        nearest.role in OBJECTS,
        nearest.role == "possessive",
    )
    for_subject, for_object = pair.pronoun.role in SUBJECTS, pair.pronoun.role in OBJECTS
    in_sentence = any(mention.role in SUBJECTS for mention in pair.in_sentence)
    in_previous = pair.subject_in_previous
    main_in_previous = in_previous and any(is_main(tokens, mention) for mention in pair.in_previous)
    depths = [commands(anaphor, mention) for mention in pair.in_sentence]
    depth = min((depth for depth in depths if depth >= 0), default=-1)
    bound = any(violates_binding(tokens, anaphor, mention) for mention in pair.around)
    return Grammar(
        conjunct=nearest.conjunct,
        same_role=nearest.role == pair.pronoun.role,
        subject_for_subject=subject and for_subject,
        subject_for_possessive=subject and anaphor.possessive,
        subject_for_object=subject and for_object,
        object_for_object=an_object and for_object,
        object_for_subject=an_object and for_subject,
        possessive_for_possessive=owner and anaphor.possessive,
        possessive_for_subject=owner and for_subject,
        subject_in_sentence=in_sentence,
        subject_in_previous=in_previous,
        subject_in_previous_for_subject=in_previous and for_subject,
        main_subject_in_sentence=in_sentence and any(is_main(tokens, m) for m in pair.in_sentence),
        main_subject_in_previous=main_in_previous,
        main_subject_in_previous_for_subject=main_in_previous and for_subject,
        begins_sentence=any(m.start - tokens.sentences[m.sentence][0] <= 2 for m in pair.near),
        commands_from_same_clause=depth == 0,
        commands_from_clause_above=depth == 1,
        commands_from_farther_above=depth >= 2,
        commands_possessive=depth == 0 and anaphor.possessive,
        violates_binding=bound,
        violates_binding_possessive=bound and anaphor.possessive,
        commands_reflexive=anaphor.pronoun.reflexive and depth == 0,
    )


def _kind(pair: Pair, rivals: Rivals) -> EntityFeatures:
    tokens, candidate, nearest = pair.tokens, pair.candidate, pair.nearest
    return EntityFeatures(
        mentions_before=min(len(candidate.before), 4) / 4.0,
        mentions=min(candidate.count, 6) / 6.0,
        single_mention=candidate.count == 1,
        in_both_sentences=bool(pair.in_sentence and pair.in_previous),
        early_in_document=any(mention.start < 12 for mention in candidate.before),
        says=nearest.role == "subject" and nearest.verb >= 0 and tokens.lower[nearest.verb] in SAYING,
        words=min(len(candidate.entity.words), 3) / 3.0,
        person=candidate.entity.person,
        surely_person=candidate.entity.person >= 1.0,
        labelled_person=nearest.label == "PERSON",
        labelled_organisation_or_place=nearest.label in ("ORG", *_PLACES),
        labelled_other=nearest.label in ("WORK_OF_ART", "EVENT", "PRODUCT", "NORP", "LAW"),
        name=nearest.name,
        gender_fit=pair.fit,
        good_gender_fit=pair.fit > 0.8,
        bad_gender_fit=pair.fit < 0.2,
        nearer_subjects=min(rivals.subjects, 3) / 3.0,
        plural=nearest.plural,
        quotation_between=not pair.only_after and _quoted(tokens, nearest.end, pair.pronoun.start),
    )


def _mentions(pair: Pair, rivals: Rivals) -> Mentions:
    tokens, anaphor, candidate, nearest = pair.tokens, pair.anaphor, pair.candidate, pair.nearest
    pronoun, same_sentence = pair.pronoun, pair.sentences_back == 0
    above = any(mention.verb in anaphor.verbs and mention.role in SUBJECTS for mention in candidate.after)
    roles, roles_previous = ({m.role for m in part} for part in (pair.in_sentence, pair.in_previous))
    way = min((steps(tokens, anaphor, mention) for mention in pair.around), default=LONGEST)
    begins = pronoun.start - tokens.sentences[pronoun.sentence][0] <= 1
    return Mentions(
        later_subject_above=above,
        later_subject_above_possessive=above and anaphor.possessive,
        later_subject_above_only_after=above and pair.only_after,
        mentioned_later=bool(candidate.after),
        name_with_article=nearest.determined and nearest.name,
        in_relative_clause=any(mention.relative for mention in pair.near),
        same_role_in_sentence=pronoun.role in roles,
        same_role_in_previous=pronoun.role in roles_previous,
        object_in_sentence="object" in roles,
        possessive_in_either="possessive" in roles | roles_previous,
        conjunct_in_either=any(mention.conjunct for mention in pair.near),
        steps_in_tree=way / LONGEST,
        near_in_tree=way <= 3,
        share_of_most_mentioned=min(candidate.count, 6) / max(rivals.most, 1),
        most_mentioned=candidate.count == rivals.most,
        below_best_gender_fit=rivals.best_fit - pair.fit,
        best_gender_fit=pair.fit == rivals.best_fit,
        mentions_following=min(candidate.following, 4) / 4.0,
        none_following=candidate.following == 0,
        shortened_name=len(candidate.entity.words) > 1 and nearest.end - nearest.start == 1,
        verb_repeated=nearest.verb >= 0 and tokens.lower[nearest.verb] == tokens.lower[pronoun.verb],
        pronoun_begins_after_subject=begins and pair.subject_in_previous,
        same_verb=same_sentence and nearest.verb == pronoun.verb and not pair.only_after,
        verb_above=same_sentence and nearest.verb in anaphor.verbs[1:] and not pair.only_after,
        possessive_in_sentence=nearest.role == "possessive" and same_sentence,
    )


def _pronoun(
    tokens: DocumentTokens, anaphor: Anaphor, candidates: list[Antecedent], fits: list[float]
) -> PronounFeatures:
    pronoun = anaphor.mention
    clause = tokens.dependencies[pronoun.verb] if pronoun.verb >= 0 else ""
    rivals = sum(
        fit >= 0.4 and candidate.entity.person >= 0.5 for candidate, fit in zip(candidates, fits, strict=True)
    )
    return PronounFeatures(
        subject=pronoun.role in SUBJECTS,
        object=pronoun.role in OBJECTS,
        possessive=anaphor.possessive,
        reflexive=anaphor.pronoun.reflexive,
        in_adverbial_clause=clause == "advcl",
        in_complement_clause=clause in ("ccomp", "xcomp"),
        in_relative_clause=clause in ("relcl", "acl"),
        in_conjunct=clause == "conj",
        in_main_clause=clause == "ROOT",
        tokens_before=min(pronoun.start - tokens.sentences[pronoun.sentence][0], 40) / 40.0,
        feminine=anaphor.pronoun.gender == "f",
        rivals=rivals / 8.0,
    )


def _place(tokens: DocumentTokens, mention: Mention) -> Place:
    word = tokens.lower[tokens.heads[mention.head]] if mention.role == "oblique" else ""
    owned = tokens.dependencies[tokens.heads[mention.head]] if mention.role == "possessive" else ""
    return Place(
        **{name: word in prepositions for name, prepositions in _PREPOSITIONS.items()},
        owner_of_subject=owned in ("nsubj", "nsubjpass"),
        coordinated=mention.coordinated,
        in_brackets=mention.start > 0 and tokens.words[mention.start - 1] == "(",
        labelled_organisation=mention.label == "ORG",
        first_in_sentence=mention.start == tokens.sentences[mention.sentence][0],
    )


def _context(pair: Pair, rivals: Rivals) -> Context:
    tokens, anaphor, candidate, nearest = pair.tokens, pair.anaphor, pair.candidate, pair.nearest
    pronoun = pair.pronoun
    begins = pronoun.start - tokens.sentences[pronoun.sentence][0] <= 3
    verbs = nearest.verb >= 0 and pronoun.verb >= 0
    return Context(
        related=any(relates(tokens, anaphor, mention) for mention in pair.around),
        controls=any(controls(tokens, anaphor, mention) for mention in pair.around),
        nearer_persons=min(rivals.persons, 4) / 4.0,
        share_of_mentions=(candidate.count + candidate.following) / rivals.total,
        unknown_gender=0.45 < pair.fit < 0.55,
        named_as_place=any(mention.label in _PLACES for mention in candidate.before),
        verb_governs_pronouns=verbs and tokens.heads[pronoun.verb] == nearest.verb != pronoun.verb,
        cataphoric=pair.sentences_back == 0 and pair.only_after and begins,
    )


def _none(
    anaphor: Anaphor, candidates: list[Antecedent], fits: list[float], last: list[Earlier]
) -> NoneFeatures:
    pronoun = anaphor.mention
    return NoneFeatures(
        is_candidate=0.0,
        candidates=min(len(candidates), 8) / 8.0,
        first_sentence=pronoun.sentence == 0,
        no_candidates=not candidates,
        good_gender_fits=sum(fit > 0.8 for fit in fits) / 4.0,
        fair_gender_fits=sum(fit > 0.4 for fit in fits) / 8.0,
        possessive=anaphor.possessive,
        subject=pronoun.role in SUBJECTS,
        earlier_pronoun=bool(last),
        earlier_pronoun_means_none=1.0 - sum(last[-1].probabilities.values()) if last else 0.0,
        tokens_before=min(pronoun.start, 60) / 60.0,
    )


def _fit(entity: Entity, wanted: float, title: titles.Title | None) -> float:
    """Return how well an entity's gender fits the pronoun's, by its name or, if more certain, the title."""
    by_title = title.gender_of(entity.words) if title else 0.5
    female = by_title if abs(by_title - 0.5) > abs(entity.female - 0.5) else entity.female
    return female if wanted == 1.0 else 1.0 - female


def _quoted(tokens: DocumentTokens, start: int, end: int) -> bool:
    """Return whether a quotation mark is between two positions that are less than 60 tokens apart."""
    return end - start < 60 and not _QUOTES.isdisjoint(tokens.words[start:end])
