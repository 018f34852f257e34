"""``stormscope envs``: the packaged and the user's environments."""

from __future__ import annotations

from engine.cli.common import JsonOption, guarded, print_json, say
from engine.errors import UsageError
from engine.text import plain


def envs(json: JsonOption = False) -> None:
    """List the environments."""

    def command() -> None:
        from engine.mdp.environment import load_environment  # noqa: PLC0415  # commands load what they need
        from engine.mdp.sources import known_environments  # noqa: PLC0415

        found = []
        for folder in known_environments().values():
            try:
                found.append(load_environment(folder))
            except UsageError as error:
                say(f"left out: {plain(str(error))}")
        if json:
            print_json(
                {
                    "environments": [
                        {
                            "name": environment.name,
                            "title": environment.title,
                            "summary": environment.summary,
                            "model": str(environment.model),
                            "objective": environment.objective,
                            "danger": environment.danger,
                            "constants": environment.constants,
                            "constant_help": environment.constant_help,
                            "variants": list(environment.variants),
                        }
                        for environment in found
                    ]
                }
            )
            return
        from engine.cli.envs_text import print_environments  # noqa: PLC0415  # as above

        print_environments(found)

    guarded(command)
