"""Errors survive a process boundary, and every one has a code of its own."""

import pickle

import pytest

from wiremap_llm import errors
from wiremap_llm.errors import EngineError

EXAMPLES = [
    errors.InvalidConfigError("config.json", ["a is 1"]),
    errors.RecipeNotFoundError("json", "it has no function combine()"),
    errors.InputError("There is no prompt"),
    errors.MissingExtraError("serve", ["starlette", "uvicorn"]),
    errors.NoModelError(),
    errors.UnknownKeywordError(["b"], ["a"]),
    errors.ImplementationKeywordError({"device": "dense.DEVICE"}, "dense"),
    errors.InvalidSamplingParamsError(["a is 1"]),
    errors.SamplingParamsCountError(1, 2),
    errors.InvalidPromptError("is empty"),
    errors.PromptTooLongError(9, 8),
    errors.RequestTooLargeError(9, 8),
    errors.PromptsRefusedError({0: errors.InvalidPromptError("is empty")}),
    errors.RequestsFailedError({0: errors.NotFiniteError()}, [{"text": ""}]),
    errors.NotFiniteError(),
    errors.StepFailedError("ValueError: no"),
    errors.OutOfBlocksError(2, 1),
    errors.CheckpointError("path", "is absent"),
    errors.UnsupportedModelError("gpt2", ["llama"], "The engine"),
    errors.WeightsMismatchError(["a"], ["b"], []),
    errors.NotFiniteWeightsError(["model.norm.weight"]),
    errors.NoTokenizerError("tokenizer"),
    errors.NoChatTemplateError(),
    errors.ChatTemplateError("roles must alternate"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: error.code)
def test_an_error_says_the_same_after_pickling(error: EngineError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert type(again) is type(error)
    assert str(again) == str(error)
    assert str(error).endswith(f"[{error.code}]")


def test_every_error_has_an_example_and_a_code_of_its_own() -> None:
    kinds = set(EngineError.__subclasses__())

    assert {type(error) for error in EXAMPLES} == kinds
    assert len({kind.code for kind in kinds}) == len(kinds)
