"""axe-core finds nothing to object to, in any state, light and dark, on a desk and on a phone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NewTab = Callable[..., Any]

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
VIEWPORTS = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 800}}


def violations(tab: Any) -> list[str]:
    """What axe objects to in our element; each with its first place."""
    tab.page.evaluate(AXE.read_text())
    found = tab.page.evaluate("() => axe.run('nearpage-search')")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]


@pytest.mark.parametrize("viewport", VIEWPORTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_state_has_a_violation(new_tab: NewTab, address: str, scheme: str, viewport: str) -> None:
    tab = new_tab(color_scheme=scheme, viewport=VIEWPORTS[viewport], reduced_motion="reduce")
    held: list[Any] = []
    tab.page.route("**/nearpage/model-*", lambda route: held.append(route))
    tab.page.goto(address)
    tab.page.evaluate("() => window.nearpage.ready")
    tab.open()
    tab.view("empty")
    assert violations(tab) == []

    tab.page.keyboard.type("how are passages ranked")
    tab.view("results")
    tab.page.keyboard.press("ArrowDown")
    tab.page.get_by_text("loading semantic search").wait_for()
    assert violations(tab) == []

    while not held:
        tab.page.wait_for_timeout(50)
    held[0].continue_()
    tab.wait_for_full()
    assert violations(tab) == []

    tab.page.locator("nearpage-search input").fill("how are pasages ranked")
    tab.page.get_by_text("Showing results for how are passages ranked", exact=True).wait_for()
    assert violations(tab) == []

    tab.page.locator("nearpage-search input").fill("best pizza dough recipe with fresh yeast")
    tab.view("nothing")
    assert violations(tab) == []

    broken = new_tab(color_scheme=scheme, viewport=VIEWPORTS[viewport], reduced_motion="reduce")
    broken.page.route("**/nearpage/table-*", lambda route: route.abort())
    broken.page.goto(address)
    broken.open()
    broken.page.keyboard.type("passages")
    broken.view("failed")
    assert violations(broken) == []


def test_what_changes_is_announced(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    tab.page.goto(address)
    tab.open()
    status = tab.page.locator("nearpage-search [role=status]")
    tab.page.keyboard.type("how are passages ranked")
    tab.page.wait_for_function(
        "() => /^\\d+ results? on \\d+ pages?$/.test(document.querySelector('nearpage-search').shadowRoot"
        ".querySelector('[role=status]').textContent)"
    )
    assert status.get_attribute("aria-hidden") is None
    field = tab.page.locator("nearpage-search input")
    assert field.get_attribute("role") == "combobox"
    tab.page.keyboard.press("ArrowDown")
    active = field.get_attribute("aria-activedescendant")
    assert tab.page.locator(f"nearpage-search #{active}").get_attribute("aria-selected") == "true"


def test_a_corrected_spelling_is_shown_and_announced(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    tab.page.goto(address)
    tab.open()
    tab.page.keyboard.type("ranknig")
    line = tab.page.get_by_text("Showing results for ranking", exact=True)
    line.wait_for()
    tab.page.wait_for_function(
        "() => /^Showing results for ranking: \\d+ results? on \\d+ pages?$/.test(document.querySelector("
        "'nearpage-search').shadowRoot.querySelector('[role=status]').textContent)"
    )
    assert tab.page.locator("nearpage-search input").input_value() == "ranknig"
    early = tab.urls()
    assert early
    tab.wait_for_full()
    tab.page.wait_for_timeout(500)
    assert line.is_visible()
    # The line goes with the slip.
    tab.page.locator("nearpage-search input").fill("ranking")
    line.wait_for(state="hidden")
    tab.view("results")
    assert set(tab.urls()) & set(early)
    assert tab.errors == []
