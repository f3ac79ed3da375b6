"""The pages are an asset like any other; next to them is the current status."""


def test_pages_are_made_again_only_when_a_dataset_changes(done):
    page = done.root / "data" / "quality" / "pages" / "datasets" / "talksumm-pairs.html"
    before = page.read_bytes()
    assert done.made(done.run()) == []
    done.params(lambda params: params["talksumm"]["pairs"].update(threshold=0.99999))
    output = done.run()
    assert "quality/pages: written" in output
    assert page.read_bytes() != before
    assert done.dvc_status() == {}
