"""The base class of every section of params.yaml.

Belongs here: the pydantic base class, and the type that marks a field as the name of a model.
Not here: the sections themselves, which are defined next to the ops that read them.
"""

from __future__ import annotations

from typing import Any, ClassVar, NewType

from pydantic import BaseModel, ConfigDict, model_validator

#: Whether a step uses baseline kernels on the CPU: `numerics: strict` in params.yaml.
Strict = NewType("Strict", bool)


class ModelName(str):
    """The name of a model in the registry. The model's digest is one of the step's dependencies."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> object:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema(min_length=1))


class Params(BaseModel):
    """One section of params.yaml. An unknown key or an invalid value raises an error that names it.

    A subclass names its section: `class HmmParams(Params, section="talksumm.hmm")`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    section: ClassVar[str | None] = None

    def __init_subclass__(cls, section: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.section = section

    @model_validator(mode="before")
    @classmethod
    def _true_or_false(cls, values: Any) -> Any:
        """Refuse `yes` and `off`, which are text in YAML 1.2: DVC would record the text."""
        for name, value in values.items() if isinstance(values, dict) else ():
            field = cls.model_fields.get(name)
            if field is not None and field.annotation is bool and isinstance(value, str):
                raise ValueError(f"{name} is {value!r}, which is text: write true or false")
        return values

    def models(self) -> list[str]:
        """Return the names of the models used in this section, sorted."""
        return sorted({value for value in self.__dict__.values() if isinstance(value, ModelName)})
