from .wording import Attribute

ATTRIBUTES: tuple[Attribute, ...] = ()
