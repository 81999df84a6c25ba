from wiremap.pytest_plugin.pace import INTERVAL_SECONDS, Pace


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_writing_is_due_after_the_interval_and_then_again() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert not pace.is_due()

    clock.now += INTERVAL_SECONDS
    assert pace.is_due()

    with pace.writing():
        pass
    assert not pace.is_due()


def test_the_more_writing_costs_the_longer_it_waits() -> None:
    clock = Clock()
    pace = Pace(clock)
    with pace.writing():
        clock.now += 10

    clock.now += INTERVAL_SECONDS
    assert not pace.is_due()
    clock.now += 10 * 20
    assert pace.is_due()
