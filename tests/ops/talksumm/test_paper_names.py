"""The metadata of a talk and the document of a paper give one name, however it is written."""

from __future__ import annotations

import pytest

from silverloom.ops.talksumm.paper_names import names_given, names_of_paper


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("P18-1001", "acl:p18-1001"),
        ("2020.acl-main.1", "acl:2020.acl-main.1"),
        ("1706.03762v5", "arxiv:1706.03762"),
        ("hep-th/9901001", "arxiv:hep-th/9901001"),
        ("10.18653_v1_P18-1001", "acl:p18-1001"),
        ("10.1000_xyz.12", "doi:10.1000_xyz.12"),
        ("noise", "document:noise"),
    ],
)
def test_a_paper_has_the_id_in_the_name_of_its_document(document, name):
    assert name in names_of_paper(document)


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ({"paper": "P18-1001"}, {"document:p18-1001", "acl:p18-1001"}),
        ({"paper": "Attention: All?"}, {"document:attention: all?", "title:attention all"}),
        ({"Paper": "noise.pdf"}, {"document:noise"}),
        ({"paper": "1706.03762v5.pdf"}, {"document:1706.03762v5", "arxiv:1706.03762"}),
        ({"paper": "https://proceedings.mlr.press/v70/finn17a/finn17a.pdf"}, {"document:finn17a"}),
        ({"DOI": "https://doi.org/10.18653/v1/P18-1001"}, {"doi:10.18653_v1_p18-1001", "acl:p18-1001"}),
        ({"doi": "doi:10.48550/arXiv.1706.03762"}, {"doi:10.48550_arxiv.1706.03762", "arxiv:1706.03762"}),
        ({"Anthology ID": "2020.acl-main.1"}, {"acl:2020.acl-main.1"}),
        ({"url": "https://aclanthology.org/P19-1204/"}, {"acl:p19-1204"}),
        ({"url": "http://www.aclweb.org/anthology/P19-1204v2.pdf"}, {"acl:p19-1204"}),
        ({"url": "https://arxiv.org/abs/1706.03762v5"}, {"arxiv:1706.03762"}),
        ({"url": "https://doi.org/10.1000/182"}, {"doi:10.1000_182"}),
        ({"url": "https://vimeo.com/12345"}, set()),
        ({"url": "https://www.youtube.com/watch?v=P18-1001"}, set()),
        ({"title": "P18-1001", "paper": "", "doi": ""}, set()),
    ],
)
def test_metadata_name_a_paper_by_document_id_doi_or_address(metadata, names):
    assert {name for _, name in names_given(metadata)} == names


def test_a_paper_is_found_by_its_title():
    given = {name for _, name in names_given({"paper": "Attention is all you need"})}
    assert given & set(names_of_paper("1706.03762v5", "Attention Is All You Need"))


@pytest.mark.parametrize("document", ["P18-1001", "1706.03762v5", "10.1000_xyz.12", "A Paper.v2"])
def test_a_paper_is_found_by_the_name_of_its_document(document):
    given = {name for _, name in names_given({"paper": document})}
    assert given & set(names_of_paper(document))
