"""Small models as files for Storm."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from reference_solver import Model

HALF = """mdp
module walk
  x : [0..3] init 0;
  [go] x=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);
  [jump] x=0 -> 1/3 : (x'=3) + 2/3 : (x'=2);
  [go] x=1 -> (x'=3);
  [stay] x>=2 -> true;
endmodule
label "goal" = x=3;
label "unsafe" = x=2;
"""
"""V(x=0) = 1/2 by go, 1/3 by jump."""

LONG = """mdp
module counters
  a : [0..400] init 0;
  b : [0..400] init 0;
  c : [0..400] init 0;
  [a] a<400 -> 1/2 : (a'=a+1) + 1/2 : (b'=min(400,b+1));
  [b] b<400 -> 1/2 : (b'=b+1) + 1/2 : (c'=min(400,c+1));
  [c] c<400 -> (c'=c+1);
endmodule
label "goal" = a=400 & b=400 & c=400;
"""
"""64 million states: longer than any test waits."""


def write_drn(model: Model, path: Path) -> Path:
    """Write a small model in Storm's explicit format."""
    count = sum(len(actions) for actions in model.moves)
    lines = ["@type: MDP", "@parameters", "", "@reward_models", "", "@nr_states", str(len(model.moves))]
    lines += ["@nr_choices", str(count), "@model"]
    for state, actions in enumerate(model.moves):
        labels = [name for name, states in {"init": set(model.initial), **model.labels}.items() if state in states]
        lines.append(" ".join(["state", str(state), *labels]))
        for name, distribution in actions.items():
            lines.append(f"\taction {name}")
            lines += [f"\t\t{target} : {distribution[target]}" for target in sorted(distribution)]
    path.write_text("\n".join(lines) + "\n")
    return path
