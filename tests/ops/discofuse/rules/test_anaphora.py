"""Mentions replaced by their antecedents, in pairs and in the three combinations; the links are given by hand."""

from __future__ import annotations

import pytest

from ops.discofuse.rules import RuleParams
from tests.ops.discofuse.rules.fusion_texts import found, linked

PAIR = (
    (
        "[Bob] won the seat . Rather than praise himself , {he} thanked the club .",
        " | Bob won the seat . | Rather than praise himself , Bob thanked the club .",
    ),
    (
        "[Rider] entered the weekend averaging 23.0 points , good for 10th in the league . {He} said those numbers mean little because of the Hawks ’ 11 - 18 record .",
        " | Rider entered the weekend averaging 23.0 points , good for 10th in the league . | Rider said those numbers mean little because of the Hawks ’ 11 - 18 record .",
    ),
    (
        "[Anna Smith] wrote three novels . {She} lived in Rome .",
        " | Anna Smith wrote three novels . | Anna Smith lived in Rome .",
    ),
    (
        "[Anna Smith] wrote three novels . {Her} husband lived in Rome .",
        " | Anna Smith wrote three novels . | Anna Smith 's husband lived in Rome .",
    ),
    (
        "[Anna Smith] wrote three novels . The king loved {her} .",
        " | Anna Smith wrote three novels . | The king loved Anna Smith .",
    ),
    (
        "[Ruiz] took the ball . The crowd cheered {his} kick .",
        " | Ruiz took the ball . | The crowd cheered Ruiz 's kick .",
    ),
    (
        "[The Lions] won the cup . {They} have a record of 3 - 1 against the Bears .",
        " | The Lions won the cup . | The Lions have a record of 3 - 1 against the Bears .",
    ),
    (
        "[The Sharks] won the cup . {Their} coach was happy .",
        " | The Sharks won the cup . | The Sharks ' coach was happy .",
    ),
    ("[James] won the cup . {His} coach was happy .", " | James won the cup . | James 's coach was happy ."),
    (
        "[The players] won the cup . {Their} coach was happy .",
        " | The players won the cup . | The players ' coach was happy .",
    ),
    (
        "[The team] was founded in 1900 . Critics praised {it} .",
        " | The team was founded in 1900 . | Critics praised the team .",
    ),
    (
        "The authors describe [three tasks] . One model solves {these tasks} .",
        " | The authors describe three tasks . | One model solves the three tasks .",
    ),
    ("[A man] came home . {He} was tired .", " | A man came home . | The man was tired ."),
    ("[Anna] came home . {She} hurt {herself} .", " | Anna came home . | Anna hurt herself ."),
    ("[Anna] came home . {She} sold {her} house .", " | Anna came home . | Anna sold her house ."),
    (
        "[Anna] came home . {She} was tired and {she} slept well .",
        " | Anna came home . | Anna was tired and Anna slept well .",
    ),
    (
        "[Kubler , who retired in 1957 ,] was famous . {He} lived in Zurich .",
        " | Kubler , who retired in 1957 , was famous . | Kubler lived in Zurich .",
    ),
    (
        "[Bob 's] house burned down . {He} was not at home .",
        " | Bob 's house burned down . | Bob was not at home .",
    ),
    ("[The company] grew . Bob works for {it} .", " | The company grew . | Bob works for the company ."),
    (
        "[The old company] grew . In 1990 , Bob sold {it} .",
        " | The old company grew . | In 1990 , Bob sold the old company .",
    ),
    ("[Anna] came home . The book was {hers} .", " | Anna came home . | The book was Anna 's ."),
    (
        "[the mayor of London] resigned . {The man} left the city .",
        " | the mayor of London resigned . | The mayor of London left the city .",
    ),
    (
        "[American players] won the cup . {They} went home .",
        " | American players won the cup . | American players went home .",
    ),
)

PAIR_WITHOUT = (
    "The club thanked [Bob] . He contested {his} seat again .",
    "[Bob] saw Anna . She kills him when {he} hears the truth .",
    "[Anna] left the club . The press had respect for her and what {she} did .",
    "[The Lions] won the cup . {They} have a 3 - 1 record overall against the Lions .",
    "[The Lions] won the cup . {The team} was founded in 1900 .",
    "[his brother] came home . {He} was tired .",
    "[She] came home . {He} was tired .",
    "The station [Radio Alpha] changed its programme . {It} is expected that the owner will leave .",
    "We apply it to parallel text or [seed lexicon] . The method enforces a scheme for {the lexicon} .",
    "It extracts the long - [term contextual information] . We apply attention to selecting {this information} .",
    "[A music video] was released in May . The band made {the video} for the song .",
    "Tourists visited [North Korea] in May . {He} was tired .",
    "[Anna Smith] came home in May . The house stood on a hill , and {it} was old .",
    "[Anna Smith] came home in May . Critics praised {them} .",
)

DISCOURSE_CONNECTIVE = (
    (
        "[Zeitler] was hurt in the match . However , {he} finished the season .",
        "however , | Zeitler was hurt in the match . | Zeitler finished the season .",
    ),
    (
        "[Zeitler] was hurt in the match . {He} , however , finished the season .",
        "however , | Zeitler was hurt in the match . | Zeitler finished the season .",
    ),
    ("[Anna] studied law . {She} then moved to Rome .", "then | Anna studied law . | Anna moved to Rome ."),
    (
        "[Anna] studied law . Instead , {she} became a painter .",
        "instead , | Anna studied law . | Anna became a painter .",
    ),
    (
        "[Anna] studied law . As a result , {her} family moved to Rome .",
        "as a result , | Anna studied law . | Anna 's family moved to Rome .",
    ),
    (
        "[The company] grew fast . Therefore , Bob sold {it} .",
        "therefore , | The company grew fast . | Bob sold the company .",
    ),
    (
        "[The club] lost again . But {its} fans stayed loyal .",
        "but | The club lost again . | The club 's fans stayed loyal .",
    ),
    (
        "[The Lions] lost again . Eventually , {the team} left the town .",
        "eventually , | The Lions lost again . | The Lions left the town .",
    ),
    ("[Bob] was poor . Now {he} is rich .", "now | Bob was poor . | Bob is rich ."),
    (
        "[The Sharks] lost again . Still , {their} fans came .",
        "still , | The Sharks lost again . | The Sharks ' fans came .",
    ),
    (
        "[Anna] left the band . Meanwhile , {she} wrote a book .",
        "meanwhile , | Anna left the band . | Anna wrote a book .",
    ),
    (
        "[Anna] left the band . For example , {her} songs were never sung again .",
        "for example , | Anna left the band . | Anna 's songs were never sung again .",
    ),
)

DISCOURSE_CONNECTIVE_WITHOUT = (
    "[Bob] was poor . This made {him} sad .",
    "[Bob] was poor . However , Bob said that {he} was happy .",
    "[Bob] was poor . However , nobody helped .",
    "[Anna] left the band . Rather than sing , {she} wrote a book .",
)

INNER_CONNECTIVE = (
    (
        "[Ruiz] ordered his first shot to be retaken because Brazilian players entered the penalty area before {his} kick .",
        "because | Ruiz ordered his first shot to be retaken . | Brazilian players entered the penalty area before Ruiz 's kick .",
    ),
    ("[Anna] stayed at home because {she} was ill .", "because | Anna stayed at home . | Anna was ill ."),
    (
        "[Anna] stayed at home , although {her} friends went out .",
        ", although | Anna stayed at home . | Anna 's friends went out .",
    ),
    (
        "[The club] won the match , while {its} fans sang .",
        ", while | The club won the match . | The club 's fans sang .",
    ),
    (
        "[Bob] saved money so that {he} could buy a house .",
        "so that | Bob saved money . | Bob could buy a house .",
    ),
    (
        "[The Lions] play every day unless {they} are ill .",
        "unless | The Lions play every day . | The Lions are ill .",
    ),
    ("[Anna] was happy now that {she} was home .", "now that | Anna was happy . | Anna was home ."),
    ("[The team] won because {it} was better .", "because | The team won . | The team was better ."),
    ("[Bob] left because Anna hated {him} .", "because | Bob left . | Anna hated Bob ."),
    (
        "[The company] failed because nobody trusted {the firm} .",
        "because | The company failed . | Nobody trusted the company .",
    ),
    ("[Anna] left , because {her} mother was ill .", ", because | Anna left . | Anna 's mother was ill ."),
    ("[Bob] slept while {he} was at work .", "while | Bob slept . | Bob was at work ."),
    (
        "[The actors] laughed , although {their} film failed .",
        ", although | The actors laughed . | The actors ' film failed .",
    ),
)

INNER_CONNECTIVE_WITHOUT = (
    "[Bob] left because Bob hated {himself} .",
    "[Anna] left because Bob was ill .",
    "[Anna] stayed at home because of {her} mother .",
)

SENTENCE_COORDINATION = (
    (
        "[Anna] stayed at home , and {she} wrote a book .",
        ", and | Anna stayed at home . | Anna wrote a book .",
    ),
    (
        "[Anna] stayed at home , but {her} husband went out .",
        ", but | Anna stayed at home . | Anna 's husband went out .",
    ),
    (
        "[Bob] left the house , so {he} missed the call .",
        ", so | Bob left the house . | Bob missed the call .",
    ),
    (
        "[The club] won the cup , and {its} fans sang .",
        ", and | The club won the cup . | The club 's fans sang .",
    ),
    (
        "[The Lions] won the cup , but {they} lost the league .",
        ", but | The Lions won the cup . | The Lions lost the league .",
    ),
    (
        "[The Lions] won the cup , but the press hated {them} .",
        ", but | The Lions won the cup . | The press hated the Lions .",
    ),
    ("[Bob] called , yet {he} said nothing .", ", yet | Bob called . | Bob said nothing ."),
    ("[Bob] can stay here , or {he} can go home .", ", or | Bob can stay here . | Bob can go home ."),
    ("[Bob] did not sing , nor did {he} dance .", ", nor | Bob did not sing . | Bob did not dance ."),
    ("[Anna] stayed at home , for {she} was ill .", ", for | Anna stayed at home . | Anna was ill ."),
    ("[The company] grew and Bob sold {it} .", "and | The company grew . | Bob sold the company ."),
    (
        "[The Bears] won the cup , and {the team} went home .",
        ", and | The Bears won the cup . | The Bears went home .",
    ),
    (
        "[Bob] sold the house , and the buyer liked {him} .",
        ", and | Bob sold the house . | The buyer liked Bob .",
    ),
    ("[A dog] came in , and {it} barked .", ", and | A dog came in . | The dog barked ."),
)

SENTENCE_COORDINATION_WITHOUT = (
    "[Anna] won , and Anna said that {she} was happy .",
    "[Anna] won the race , but was tired .",
)


@pytest.mark.parametrize(("marked", "expected"), PAIR, ids=[marked for marked, _ in PAIR])
def test_a_mention_is_replaced_in_a_pair(marked, expected):
    assert found(linked(marked), "PAIR_ANAPHORA") == [expected]


@pytest.mark.parametrize("marked", PAIR_WITHOUT)
def test_a_mention_is_left_in_a_pair(marked):
    assert found(linked(marked), "PAIR_ANAPHORA") == []


@pytest.mark.parametrize(
    ("marked", "expected"), DISCOURSE_CONNECTIVE, ids=[marked for marked, _ in DISCOURSE_CONNECTIVE]
)
def test_a_mention_is_replaced_in_a_discourse_connective(marked, expected):
    assert found(linked(marked), "PAIR_CONN_ANAPHORA") == [expected]


@pytest.mark.parametrize("marked", DISCOURSE_CONNECTIVE_WITHOUT)
def test_a_mention_is_left_in_a_discourse_connective(marked):
    assert found(linked(marked), "PAIR_CONN_ANAPHORA") == []


@pytest.mark.parametrize(
    ("marked", "expected"), INNER_CONNECTIVE, ids=[marked for marked, _ in INNER_CONNECTIVE]
)
def test_a_mention_is_replaced_in_a_inner_connective(marked, expected):
    assert found(linked(marked), "SINGLE_CONN_INNER_ANAPHORA") == [expected]


@pytest.mark.parametrize("marked", INNER_CONNECTIVE_WITHOUT)
def test_a_mention_is_left_in_a_inner_connective(marked):
    assert found(linked(marked), "SINGLE_CONN_INNER_ANAPHORA") == []


@pytest.mark.parametrize(
    ("marked", "expected"), SENTENCE_COORDINATION, ids=[marked for marked, _ in SENTENCE_COORDINATION]
)
def test_a_mention_is_replaced_in_a_sentence_coordination(marked, expected):
    assert found(linked(marked), "SINGLE_S_COORD_ANAPHORA") == [expected]


@pytest.mark.parametrize("marked", SENTENCE_COORDINATION_WITHOUT)
def test_a_mention_is_left_in_a_sentence_coordination(marked):
    assert found(linked(marked), "SINGLE_S_COORD_ANAPHORA") == []


def test_it_and_they_need_a_surer_link():
    text = "[The old company] grew . In 1990 , Bob sold {it} ."
    made = " | The old company grew . | In 1990 , Bob sold the old company ."
    assert found(linked(text, score=0.75), "PAIR_ANAPHORA") == []
    params = RuleParams(pronoun_score=0.7, thing_score=0.75)
    assert found(linked(text, score=0.75), "PAIR_ANAPHORA", params=params) == [made]
