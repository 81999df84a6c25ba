import threading
from collections.abc import Iterator

import pytest

from wiremap import compile_mode, compiling, recipe
from wiremap.errors import AsyncRecipeError
from wiremap.registry.recipes import recipe_mark


def test_a_recipe_is_the_function_itself() -> None:
    def combine(size: int) -> int:
        return size

    assert recipe(combine) is combine
    assert combine(3) == 3
    assert recipe_mark(combine) is not None


def test_a_recipe_says_how_to_compile_it() -> None:
    @recipe(compile_kwargs={"size": 1})
    def combine(size: int) -> int:
        return size

    mark = recipe_mark(combine)

    assert mark is not None
    assert mark.compile_kwargs == {"size": 1}


def test_other_things_are_no_recipes() -> None:
    assert recipe_mark(len) is None
    assert recipe_mark(None) is None
    assert recipe_mark(test_other_things_are_no_recipes) is None


def test_compile_mode_ends_with_its_block_and_stays_in_its_thread() -> None:
    seen: list[bool] = []

    with compile_mode():
        thread = threading.Thread(target=lambda: seen.append(compiling()))
        thread.start()
        thread.join()
        assert compiling()

    assert not compiling()
    assert seen == [False]


def test_a_recipe_that_a_call_would_not_run_is_refused_where_it_is_defined() -> None:
    with pytest.raises(AsyncRecipeError, match=r"combine is async or a generator \(at .*test_recipe\.py:\d+\)"):

        @recipe
        async def combine() -> None: ...

    with pytest.raises(AsyncRecipeError):

        @recipe(compile_kwargs={})
        def combine_later() -> Iterator[None]:
            yield
