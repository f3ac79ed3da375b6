"""The pages are an asset like any other; next to them is the current status."""


def test_pages_are_made_again_only_when_a_dataset_changes(done_toy):
    page = done_toy.root / "data" / "quality" / "pages" / "datasets" / "toy-questions.html"
    before = page.read_bytes()
    assert done_toy.made(done_toy.run()) == []
    done_toy.params(lambda params: params["toy"]["questions"].update(words=7))
    output = done_toy.run()
    assert "quality/pages: written" in output
    assert page.read_bytes() != before
    assert done_toy.dvc_status() == {}
