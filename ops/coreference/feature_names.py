"""The names and the order of the features of a pronoun and a candidate entity.

Belongs here: the names, in groups; the network's weights are in this order. Not here: computing the features
(features.py). Features are shares, flags (0 or 1), or counts scaled by a typical maximum.
"""

from __future__ import annotations

from typing import NamedTuple, get_type_hints

from silverloom.ops.coreference.pairs import Chain
from silverloom.ops.coreference.titles import NoneTitle, TitleMatch


class Distance(NamedTuple):
    """The distance from the pronoun to the entity's nearest mention."""

    is_candidate: float
    only_after: float
    same_sentence: float
    one_sentence_back: float
    two_sentences_back: float
    farther_back: float
    log_tokens_between: float
    nearer_candidates: float
    nearest: float
    second_nearest: float


class RoleFeatures(NamedTuple):
    """The grammatical role of the nearest mention."""

    subject: float = 0.0
    passive: float = 0.0
    object: float = 0.0
    oblique: float = 0.0
    possessive: float = 0.0
    apposition: float = 0.0
    modifier: float = 0.0
    other: float = 0.0


class Grammar(NamedTuple):
    """Roles of the nearest mention and the pronoun ("subject_for_object"), clauses, and binding."""

    conjunct: float
    same_role: float
    subject_for_subject: float
    subject_for_possessive: float
    subject_for_object: float
    object_for_object: float
    object_for_subject: float
    possessive_for_possessive: float
    possessive_for_subject: float
    subject_in_sentence: float
    subject_in_previous: float
    subject_in_previous_for_subject: float
    main_subject_in_sentence: float
    main_subject_in_previous: float
    main_subject_in_previous_for_subject: float
    begins_sentence: float
    commands_from_same_clause: float
    commands_from_clause_above: float
    commands_from_farther_above: float
    commands_possessive: float
    violates_binding: float
    violates_binding_possessive: float
    commands_reflexive: float


class EntityFeatures(NamedTuple):
    """The entity: its number of mentions, its type and its gender."""

    mentions_before: float
    mentions: float
    single_mention: float
    in_both_sentences: float
    early_in_document: float
    says: float
    words: float
    person: float
    surely_person: float
    labelled_person: float
    labelled_organisation_or_place: float
    labelled_other: float
    name: float
    gender_fit: float
    good_gender_fit: float
    bad_gender_fit: float
    nearer_subjects: float
    plural: float
    quotation_between: float


class Mentions(NamedTuple):
    """All mentions near the pronoun, before and after it, and the verbs that govern them."""

    later_subject_above: float
    later_subject_above_possessive: float
    later_subject_above_only_after: float
    mentioned_later: float
    name_with_article: float
    in_relative_clause: float
    same_role_in_sentence: float
    same_role_in_previous: float
    object_in_sentence: float
    possessive_in_either: float
    conjunct_in_either: float
    steps_in_tree: float
    near_in_tree: float
    share_of_most_mentioned: float
    most_mentioned: float
    below_best_gender_fit: float
    best_gender_fit: float
    mentions_following: float
    none_following: float
    shortened_name: float
    verb_repeated: float
    pronoun_begins_after_subject: float
    same_verb: float
    verb_above: float
    possessive_in_sentence: float


class PronounFeatures(NamedTuple):
    """The pronoun itself; equal for all candidates."""

    subject: float
    object: float
    possessive: float
    reflexive: float
    in_adverbial_clause: float
    in_complement_clause: float
    in_relative_clause: float
    in_conjunct: float
    in_main_clause: float
    tokens_before: float
    feminine: float
    rivals: float


class Place(NamedTuple):
    """The place of the nearest mention in its sentence; `behind_by`: after the preposition "by"."""

    behind_by: float
    behind_with: float
    behind_of: float
    behind_in_at_on_from_near: float
    behind_to_for: float
    behind_as_like_than: float
    owner_of_subject: float
    coordinated: float
    in_brackets: float
    labelled_organisation: float
    first_in_sentence: float


class Context(NamedTuple):
    """Relations in the tree, and the entity compared with its rivals."""

    related: float
    controls: float
    nearer_persons: float
    share_of_mentions: float
    unknown_gender: float
    named_as_place: float
    verb_governs_pronouns: float
    cataphoric: float


class CandidateFeatures(NamedTuple):
    """All features of a candidate, by group."""

    distance: Distance
    role: RoleFeatures
    grammar: Grammar
    kind: EntityFeatures
    mentions: Mentions
    chain: Chain
    pronoun: PronounFeatures
    place: Place
    context: Context
    title: TitleMatch


class NoneFeatures(NamedTuple):
    """Evidence for "none of them". These are the first values of its vector; the others are zero."""

    is_candidate: float
    candidates: float
    first_sentence: float
    no_candidates: float
    good_gender_fits: float
    fair_gender_fits: float
    possessive: float
    subject: float
    earlier_pronoun: float
    earlier_pronoun_means_none: float
    tokens_before: float


#: "group.feature", in the order of a candidate's vector.
NAMES = tuple(
    f"{name}.{feature}"
    for name, group in get_type_hints(CandidateFeatures).items()
    for feature in group._fields
)
WIDTH = len(NAMES)


def candidate_vector(features: CandidateFeatures) -> list[float]:
    """Return the values of a candidate in the order of `NAMES`."""
    return [value for group in features for value in group]


def none_vector(features: NoneFeatures, title: NoneTitle) -> list[float]:
    """Return the values of "none of them", padded to the length of a candidate's vector."""
    values = [*features, *title]
    return values + [0.0] * (WIDTH - len(values))
