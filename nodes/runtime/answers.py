"""What nodes answer to services, in words."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.srv import SetParametersAtomically

__all__ = ["refusal"]

_SILENT = "the log of its node says why"


def refusal(service: str, answer: Any) -> str:
    """Return why a service refused; an empty text where it did not.

    Args:
        service: its name
        answer: of ``std_srvs/Trigger`` or another with ``success``, or of ``rcl_interfaces/SetParametersAtomically``
    """
    if isinstance(answer, SetParametersAtomically.Response):
        good, reason = answer.result.successful, answer.result.reason
    else:
        good, reason = answer.success, getattr(answer, "message", "")
    return "" if good else f"{service} refuses: {reason or _SILENT}"
