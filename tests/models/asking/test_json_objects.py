"""Schemas that models are held to."""

from aptone.models.asking.json_objects import list_schema, object_schema


def test_an_object_has_all_of_its_properties_in_their_order_and_no_others() -> None:
    schema = object_schema({"reason": {"type": "string"}, "score": {"type": "number"}})
    assert schema == {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
        "required": ["reason", "score"],
        "additionalProperties": False,
    }
    assert list_schema("verdicts", schema) == {
        "type": "object",
        "properties": {"verdicts": {"type": "array", "items": schema}},
        "required": ["verdicts"],
        "additionalProperties": False,
    }
