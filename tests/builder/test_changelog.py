"""Which pages are taken for changelogs."""

import pytest
from nearpage.builder.changelog import is_changelog
from nearpage.builder.model import Page, Section


def page(title: str, *headings: str, url: str = "page/") -> Page:
    return Page(url, title, "en", tuple(Section(None, (title, heading), ()) for heading in headings))


@pytest.mark.parametrize(
    "title",
    [
        "Changelog",
        "Change log",
        "Release Notes",
        "Kite release notes",
        "Release notes for Kite",
        "Changelog - Kite",
        "Appendix E. Release Notes",
        "What’s New In Kite 3.10",
        "What's new",
        "Version history",
        "Changes",
        "2.0.1 (2026-03-01)",
        "E.12. Release 15.9",
    ],
)
def test_a_page_is_a_changelog_by_its_title(title: str) -> None:
    assert is_changelog(page(title))


def test_a_page_is_a_changelog_by_its_address() -> None:
    assert is_changelog(page("Kite through the years", url="about/changelog/"))
    assert is_changelog(page("Kite through the years", url="about/release-notes.html"))


@pytest.mark.parametrize(
    "title",
    [
        "Background Tasks",
        "History, Design and Future",
        "Writing a changelog plugin",
        "How to release",
        "Database changes",
        "Version policy",
        "Python 3.11",
        "3.2. Loops",
        "15.2. Parallel plans",
    ],
)
def test_other_titles_make_none(title: str) -> None:
    assert not is_changelog(page(title, "First", "Second"))


def test_a_page_is_a_changelog_by_the_versions_over_its_sections() -> None:
    assert is_changelog(page("Kite", "2.1.0", "v2.0.0", "1.9 – March 4, 2024"))
    assert is_changelog(
        page("Kite", "3.1rc2 (unreleased)", "Version 3.0", "2.0.0-beta.1", "Fixes", "Features")
    )


def test_two_versions_or_a_few_among_many_sections_make_none() -> None:
    assert not is_changelog(page("Upgrade", "From 1.x", "2.0", "3.0"))
    assert not is_changelog(page("Upgrade", "2.0", "3.0", "4.0", "One", "Two", "Three", "Four"))
    assert not is_changelog(page("Loops", "3.1. While", "3.2. For", "3.3. Break"))
