"""An endpoint's key: from a variable or from a command's output, never from a file of ours."""

from __future__ import annotations

import asyncio
import os
import shlex
from typing import TYPE_CHECKING, Final

from pydantic import SecretStr

from engine.errors import EndpointError, UsageError
from engine.explainers.response import printable

if TYPE_CHECKING:
    from engine.endpoints import Endpoint

COMMAND_TIMEOUT: Final = 30.0
"""Seconds that a command may take: it may have to unlock something, but nobody can type a password into it."""


def has_key(endpoint: Endpoint) -> bool:
    """Whether a key is set, wherever it comes from."""
    return endpoint.api_key is not None or bool(endpoint.api_key_env or endpoint.api_key_command)


def key_header(endpoint: Endpoint, key: SecretStr | None) -> dict[str, str]:
    """Return the header that carries the key; none without one."""
    if key is None or not key.get_secret_value():
        return {}
    if endpoint.key_header:
        return {endpoint.key_header: key.get_secret_value()}
    return {"Authorization": f"Bearer {key.get_secret_value()}"}


def known_key(endpoint: Endpoint, where: str) -> SecretStr | None:
    """Return the key that is at hand; None if there is none, or only a command that prints it.

    Parameters
    ----------
    endpoint
        The settings.
    where
        The setting that holds the key, for errors.

    Raises
    ------
    UsageError
        If the variable is not set, or holds what cannot be a key.
    """
    if endpoint.api_key is not None:
        return _checked(endpoint.api_key.get_secret_value(), where)
    if not endpoint.api_key_env:
        return None
    value = os.environ.get(endpoint.api_key_env, "").strip()
    if not value:
        hint = f"export {endpoint.api_key_env}=…, or change api_key_env in the settings file"
        raise UsageError(f"the environment variable {endpoint.api_key_env} is not set", where=where, hint=hint)
    return _checked(value, endpoint.api_key_env)


async def key_from_command(command: str | list[str], where: str, *, limit: float = COMMAND_TIMEOUT) -> SecretStr:
    """Return what a command prints on its first line; raises EndpointError that says how it failed, never the key."""
    arguments = _arguments(command, where)
    hint = "run the command in a terminal to see what it wants"
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise EndpointError(
            f"the command for the key cannot be run: {error.strerror or error}",
            where=where,
            hint=f"check {arguments[0]}",
        ) from None
    try:
        async with asyncio.timeout(limit):
            output, errors = await process.communicate()
    except TimeoutError:
        raise EndpointError(f"the command for the key took longer than {limit:g} s", where=where, hint=hint) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        said = printable(errors.decode("utf-8", "replace"))
        raise EndpointError(
            f"the command for the key ended with status {process.returncode}{f': {said}' if said else ''}",
            where=where,
            hint=hint,
        )
    lines = output.decode("utf-8", "replace").split("\n")
    if not lines[0].strip():
        raise EndpointError("the command for the key printed nothing", where=where, hint=hint)
    return _checked(lines[0], where)


def _arguments(command: str | list[str], where: str) -> list[str]:
    try:
        arguments = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise EndpointError(f"the command for the key is not one: {error}", where=where) from None
    if not arguments:
        raise EndpointError("the command for the key is empty", where=where)
    return arguments


def _checked(value: str, where: str) -> SecretStr:
    """Return the key; raises UsageError for what no header can carry."""
    key = value.strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError("the key holds characters that no key has", where=where, hint="copy it again")
    return SecretStr(key)
