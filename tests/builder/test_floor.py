"""Where "nothing relevant" begins on a site."""

from nearpage.builder.floor import (
    FEWEST,
    LIGHT,
    MOST,
    UNRELATED,
    calibrate,
    uncalibrated,
)


def test_the_floor_stands_between_unrelated_questions_and_own_headings() -> None:
    near = dict.fromkeys(UNRELATED, (0.3, 0.0)) | {f"heading {number}": (0.5, 1.0) for number in range(10)}
    floor = calibrate(near.__getitem__, [f"heading {number}" for number in range(10)])
    assert floor.unrelated == (0.3, 0.3)
    assert floor.related == (0.8, 0.8)
    assert floor.threshold == 0.4


def test_the_light_encoder_makes_more_of_words() -> None:
    near = dict.fromkeys(UNRELATED, (0.3, 0.1)) | {f"heading {number}": (0.5, 1.0) for number in range(10)}
    floor = calibrate(near.__getitem__, [f"heading {number}" for number in range(10)], LIGHT)
    assert floor.coverage_weight == LIGHT.coverage_weight
    assert floor.threshold == 0.38
    assert floor.unrelated == (0.38, 0.38)
    assert floor.related == (1.3, 1.3)
    assert uncalibrated(LIGHT).threshold > uncalibrated().threshold


def test_a_site_that_answers_a_few_of_the_unrelated_questions_is_not_led_astray() -> None:
    answered = set(UNRELATED[::12])

    def near(query: str) -> tuple[float, float]:
        return (0.9 if query in answered or query.startswith("own") else 0.3), 0.0

    floor = calibrate(near, [f"own {number}" for number in range(10)])
    assert floor.threshold < 0.6


def test_headings_are_taken_from_all_of_the_site_and_each_once() -> None:
    asked: list[str] = []
    headings = [f"{number // 2}" for number in range(10 * MOST)]

    def near(query: str) -> tuple[float, float]:
        asked.append(query)
        return 0.5, 0.0

    calibrate(near, headings)
    own = asked[len(UNRELATED) :]
    assert len(own) == len(set(own)) == MOST
    assert {int(heading) // 100 for heading in own} == {0, 1, 2, 3, 4}


def test_too_few_headings_tell_nothing() -> None:
    assert calibrate(lambda query: (1.0, 1.0), ["a"] * 50 + ["b"] * (FEWEST - 2)) == uncalibrated()
