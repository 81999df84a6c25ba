"""Every error that the engine raises on purpose, each with a stable code.

An error carries the values of its case; its sentence says what happened, to what, and what to do.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class EngineError(Exception):
    """Base of all errors of this package."""

    code = "engine-error"

    def __init__(self, *values: object) -> None:
        # The values reach Exception.args, so that an error survives a process boundary.
        super().__init__(*values)

    def sentence(self) -> str:
        """Say what happened, to what, and what to do."""
        return "The engine failed."

    def __str__(self) -> str:
        return f"{self.sentence()} [{self.code}]"


class InvalidConfigError(EngineError):
    """A configuration holds values that cannot work; all of them are listed."""

    code = "invalid-config"

    def __init__(self, source: str, faults: Sequence[str]) -> None:
        self.source = source
        self.faults = list(faults)
        super().__init__(source, self.faults)

    def sentence(self) -> str:
        """List every fault."""
        return f"{self.source} cannot be used: {'; '.join(self.faults)}."


class RecipeNotFoundError(EngineError):
    """A recipe was named that can't be used."""

    code = "recipe-not-found"

    def __init__(self, recipe: str, fault: str) -> None:
        self.recipe = recipe
        self.fault = fault
        super().__init__(recipe, fault)

    def sentence(self) -> str:
        """Say what is wrong, and what a recipe is."""
        return (
            f"{self.recipe!r} is no recipe: {self.fault}. Name a module whose combine() builds an engine, "
            "such as wiremap_llm.recipes.dense."
        )


class InputError(EngineError):
    """What the command line was given can't be used."""

    code = "input"

    def __init__(self, fault: str) -> None:
        self.fault = fault
        super().__init__(fault)

    def sentence(self) -> str:
        """Pass on the fault, which says what to do."""
        return f"{self.fault}."


class MissingExtraError(EngineError):
    """A command needs packages that are not installed."""

    code = "missing-extra"

    def __init__(self, extra: str, packages: Iterable[str]) -> None:
        self.extra = extra
        self.packages = list(packages)
        super().__init__(extra, self.packages)

    def sentence(self) -> str:
        """Say what to install."""
        return f"This needs {' and '.join(self.packages)}, not installed here: pip install 'wiremap-llm[{self.extra}]'."


class NoModelError(EngineError):
    """An engine was to be built, not only compiled, and no model was named."""

    code = "no-model"

    def sentence(self) -> str:
        """Say what to pass."""
        return "No model was given: pass model= a folder in the Hugging Face layout, or a .gguf file."


class UnknownKeywordError(EngineError):
    """Keywords were given that the engine does not know."""

    code = "unknown-keyword"

    def __init__(self, names: Iterable[str], known: Iterable[str]) -> None:
        self.names = sorted(names)
        self.known = sorted(known)
        super().__init__(self.names, self.known)

    def sentence(self) -> str:
        """Name the unknown keywords, near names, and what there is."""
        hints = [near for name in self.names for near in difflib.get_close_matches(name, self.known, n=1)]
        hint = f" Did you mean {', '.join(map(repr, hints))}?" if hints else ""
        return f"Unknown keyword {_quoted(self.names)}.{hint} Known: {', '.join(self.known)}."


class ImplementationKeywordError(EngineError):
    """A keyword tried to choose an implementation, which a recipe does."""

    code = "implementation-keyword"

    def __init__(self, choices: dict[str, str], recipe: str) -> None:
        self.choices = dict(choices)
        self.recipe = recipe
        super().__init__(self.choices, recipe)

    def sentence(self) -> str:
        """Name the constant that makes each choice."""
        instead = "; ".join(f"{name!r} is the constant {place}" for name, place in self.choices.items())
        return (
            f"Keywords describe resources and generation; a recipe chooses implementations: {instead}. "
            f"Use another recipe, or copy {self.recipe} and change its constant."
        )


class InvalidSamplingParamsError(EngineError):
    """Sampling parameters are out of range; all of them are listed."""

    code = "invalid-sampling-params"

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        super().__init__(self.faults)

    def sentence(self) -> str:
        """List every fault."""
        return f"Sampling parameters cannot be used: {'; '.join(self.faults)}."


class SamplingParamsCountError(EngineError):
    """As many sampling parameters as prompts are needed, or one for all."""

    code = "sampling-params-count"

    def __init__(self, num_params: int, num_prompts: int) -> None:
        self.num_params = num_params
        self.num_prompts = num_prompts
        super().__init__(num_params, num_prompts)

    def sentence(self) -> str:
        """Compare the two counts."""
        return (
            f"{self.num_params} SamplingParams were given for {self.num_prompts} prompts: "
            "give one for all, or one for each."
        )


class InvalidPromptError(EngineError):
    """A prompt is empty, or holds token ids that the model does not have."""

    code = "invalid-prompt"

    def __init__(self, fault: str) -> None:
        self.fault = fault
        super().__init__(fault)

    def sentence(self) -> str:
        """Say what is wrong with it."""
        return f"The prompt {self.fault}."


class PromptTooLongError(EngineError):
    """A prompt leaves no room for one more token within `max_model_len`."""

    code = "prompt-too-long"

    def __init__(self, num_prompt_tokens: int, limit: int) -> None:
        self.num_prompt_tokens = num_prompt_tokens
        self.limit = limit
        super().__init__(num_prompt_tokens, limit)

    def sentence(self) -> str:
        """Compare prompt and limit."""
        return (
            f"The prompt has {self.num_prompt_tokens} tokens, and at most "
            f"{self.limit} fit with one generated token: shorten it, or raise max_model_len."
        )


class RequestTooLargeError(EngineError):
    """A request could grow beyond the whole KV cache, so it could never finish."""

    code = "request-too-large"

    def __init__(self, num_blocks: int, num_pool_blocks: int) -> None:
        self.num_blocks = num_blocks
        self.num_pool_blocks = num_pool_blocks
        super().__init__(num_blocks, num_pool_blocks)

    def sentence(self) -> str:
        """Compare need and pool."""
        return (
            f"The request may need {self.num_blocks} KV blocks and the pool has "
            f"{self.num_pool_blocks}: lower max_tokens, shorten the prompt, or raise num_kvcache_blocks."
        )


class PromptsRefusedError(EngineError):
    """Some of several prompts can't be run, so nothing was computed; each is named with its own error.

    Attributes:
        errors: The index of each refused prompt, with its error.
    """

    code = "prompts-refused"

    def __init__(self, errors: Mapping[int, EngineError]) -> None:
        self.errors = dict(errors)
        super().__init__(self.errors)

    def sentence(self) -> str:
        """List every refused prompt."""
        return f"Nothing was computed. {_by_prompt(self.errors)}"


class RequestsFailedError(EngineError):
    """Some of several requests failed while they ran.

    Attributes:
        errors: The index of each prompt whose request failed, with the first error of its samples.
        completions: Those of all prompts; the failed ones hold what they got.
    """

    code = "requests-failed"

    def __init__(self, errors: Mapping[int, EngineError], completions: Sequence[Any] = ()) -> None:
        self.errors = dict(errors)
        self.completions = list(completions)
        super().__init__(self.errors, self.completions)

    def sentence(self) -> str:
        """List every failed request."""
        return f"Generation failed for some prompts; the exception holds all completions. {_by_prompt(self.errors)}"


class NotFiniteError(EngineError):
    """The model computed something that is no finite number, so there is no next token."""

    code = "not-finite"

    def sentence(self) -> str:
        """Say what happened and where to look."""
        return (
            "The model computed scores for the next token that are not finite numbers: "
            "check the weights, or use a dtype with a wider range."
        )


class StepFailedError(EngineError):
    """The step that computed a request raised; the cause is `__cause__`, its text is kept."""

    code = "step-failed"

    def __init__(self, fault: str) -> None:
        self.fault = fault
        super().__init__(fault)

    def sentence(self) -> str:
        """Pass on what was raised."""
        return f"The step that computed this request failed: {self.fault}."


class OutOfBlocksError(EngineError):
    """Blocks were taken without asking `can_allocate` or `can_append` first; nothing was taken."""

    code = "out-of-blocks"

    def __init__(self, num_needed: int, num_free: int) -> None:
        self.num_needed = num_needed
        self.num_free = num_free
        super().__init__(num_needed, num_free)

    def sentence(self) -> str:
        """Compare need and supply."""
        return f"{self.num_needed} KV blocks are needed and {self.num_free} are free."


class CheckpointError(EngineError):
    """A checkpoint is absent, incomplete or not readable."""

    code = "checkpoint"

    def __init__(self, path: str, fault: str) -> None:
        self.path = path
        self.fault = fault
        super().__init__(path, fault)

    def sentence(self) -> str:
        """Say which path, and what is wrong with it."""
        return f"{self.path}: {self.fault}."


class UnsupportedModelError(EngineError):
    """The checkpoint is of a kind that nothing here can run."""

    code = "unsupported-model"

    def __init__(self, model_type: str, supported: Iterable[str], place: str) -> None:
        self.model_type = model_type
        self.supported = sorted(supported)
        self.place = place
        super().__init__(model_type, self.supported, place)

    def sentence(self) -> str:
        """Name the kind, who refused it, and what would do."""
        return f"{self.place} cannot run model_type {self.model_type!r}: use one of {_quoted(self.supported)}."


class WeightsMismatchError(EngineError):
    """A checkpoint does not hold exactly the weights of the model; every fault is named."""

    code = "weights-mismatch"

    def __init__(self, missing: Iterable[str], unexpected: Iterable[str], misshapen: Iterable[str]) -> None:
        self.missing = sorted(missing)
        self.unexpected = sorted(unexpected)
        self.misshapen = sorted(misshapen)
        super().__init__(self.missing, self.unexpected, self.misshapen)

    def sentence(self) -> str:
        """List missing, unexpected and misshapen weights."""
        faults = {"missing": self.missing, "unexpected": self.unexpected, "misshapen": self.misshapen}
        told = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in faults.items() if names)
        return f"The checkpoint is not of this model ({told}). Compare its config.json with its weights."


class NotFiniteWeightsError(EngineError):
    """Weights of a checkpoint hold NaN or infinity, so no output would mean anything."""

    code = "not-finite-weights"

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names)
        super().__init__(self.names)

    def sentence(self) -> str:
        """Name the weights and what may help."""
        return (
            f"The checkpoint holds NaN or infinity in {', '.join(self.names)}: fetch it anew, or choose a "
            "dtype with a wider range."
        )


class NoTokenizerError(EngineError):
    """Text was given or asked for, and the checkpoint brought no tokenizer."""

    code = "no-tokenizer"

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        super().__init__(wanted)

    def sentence(self) -> str:
        """Say what is absent and what works without it."""
        return f"The checkpoint has no {self.wanted}: give prompts as lists of token ids, or add the file."


class NoChatTemplateError(EngineError):
    """A conversation was given, and the checkpoint doesn't say how its model reads one."""

    code = "no-chat-template"

    def sentence(self) -> str:
        """Say what works without it, and what would give one."""
        return (
            "The checkpoint has no chat template, so how its model reads a conversation is not known: "
            "let it complete a plain text instead, or add the model's chat_template.jinja."
        )


class ChatTemplateError(EngineError):
    """The checkpoint's chat template is broken, or refuses the conversation."""

    code = "chat-template"

    def __init__(self, fault: str) -> None:
        self.fault = fault
        super().__init__(fault)

    def sentence(self) -> str:
        """Pass on what the template said."""
        return f"The chat template cannot render this conversation: {self.fault}."


def _by_prompt(errors: Mapping[int, EngineError]) -> str:
    return " ".join(f"Prompt {index}: {error}" for index, error in sorted(errors.items()))


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
