"""No plan, for judges that read the story themselves."""

from aptone.models import About
from aptone.run import Call
from aptone.types import Plan, Sample


class Unplanned:
    """Gives a plan that leaves everything open, without asking anybody."""

    about = About()

    @property
    def signature(self) -> str:
        """Always ``unplanned``."""
        return "unplanned"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """A plan that asks for nothing."""
        return Plan("", source="unplanned")
