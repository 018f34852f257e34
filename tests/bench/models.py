"""Models for measuring, written by generators so that their size is a parameter."""

from __future__ import annotations


def consensus(processes: int) -> str:
    """Return the shared-coin protocol of Aspnes and Herlihy (1990) for so many processes, with constant K.

    Each process flips a coin, moves a shared counter by it, and looks whether the counter has left the middle: beyond
    either end it decides. Six processes with K = 2 have 1,258,240 states.
    """
    numbers = range(1, processes + 1)
    reach = f"(K + 1) * {processes}"
    parts = [
        "mdp",
        "const int K;",
        f"const int low = {processes};",
        f"const int high = 2 * {reach} - {processes};",
        f"global total : [0 .. 2 * {reach}] init {reach};",
    ]
    for number in numbers:
        at, coin = f"at{number}", f"coin{number}"
        parts.append(
            f"""
module process{number}
  {at} : [0..3];      // flip, move the counter, look, decided
  {coin} : [0..1];
  [] {at}=0 -> 1/2 : ({coin}'=0) & ({at}'=1) + 1/2 : ({coin}'=1) & ({at}'=1);
  [] {at}=1 & {coin}=0 & total>0 -> (total'=total-1) & ({at}'=2) & ({coin}'=0);
  [] {at}=1 & {coin}=1 & total<2*{reach} -> (total'=total+1) & ({at}'=2) & ({coin}'=0);
  [] {at}=2 & total<=low -> ({at}'=3) & ({coin}'=0);
  [] {at}=2 & total>=high -> ({at}'=3) & ({coin}'=1);
  [] {at}=2 & total>low & total<high -> ({at}'=0);
  [done] {at}=3 -> ({at}'=3);
endmodule"""
        )
    done, zeros, ones = (
        " & ".join(f"{name}{number}={value}" for number in numbers)
        for name, value in (("at", 3), ("coin", 0), ("coin", 1))
    )
    parts += [f'label "finished" = {done};', f'label "agree" = ({zeros}) | ({ones});']
    return "\n".join(parts) + "\n"


DISAGREE = 'Pmax=? [F "finished" & !"agree"]'
"""The largest probability that the processes finish without agreement."""
