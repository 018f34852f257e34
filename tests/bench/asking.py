"""Two thousand questions to a loopback server that takes 50 ms for each, against a bare aiohttp loop."""

from __future__ import annotations

import asyncio
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import psutil
from aiohttp import web

from engine.explainers.openai import OpenAI
from engine.mdp.sources import find_model
from engine.oracle.client import open_oracle
from engine.prompts.rendering import render
from engine.queries.generation import generate
from engine.settings import Endpoint

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from engine.explainers.base import Question

QUESTIONS, CONCURRENCY, LATENCY = 2000, 64, 0.05
ROUNDS = 3


def _serve(port: Connection) -> None:
    """Answer every chat completion with the first option of its schema, after the latency."""

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        format_ = body.get("response_format") or {"json_schema": {"schema": {"properties": {"answer": {}}}}}
        schema = format_["json_schema"]["schema"]["properties"]["answer"]
        content = json.dumps({"explanation": "because", "answer": schema.get("enum", ["1/2"])[0]})
        await asyncio.sleep(LATENCY)
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "bench", "choices": [choice]}
        return web.json_response({**whole, "usage": usage})

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.send(runner.addresses[0][1])
        await asyncio.sleep(600)

    asyncio.run(run())


def _questions() -> list[Question]:
    source = find_model("frozen_lake")
    oracle = open_oracle(source.request({"map": "8"}), source.environment)
    cases = generate(oracle, ["best-action", "more-promising"], budget=200).cases
    rendered = [render(oracle, case) for case in cases]
    return [replace(rendered[index % len(rendered)], sample=index) for index in range(QUESTIONS)]


async def _bare(url: str, bodies: list[bytes]) -> float:
    """Send the same bodies with aiohttp alone."""
    limit = asyncio.Semaphore(CONCURRENCY)
    connector = aiohttp.TCPConnector(limit=CONCURRENCY)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def one(body: bytes) -> None:
            async with limit, session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
                await response.json()

        started = time.perf_counter()
        await asyncio.gather(*(one(body) for body in bodies))
        return time.perf_counter() - started


async def _ours(url: str, questions: list[Question]) -> float:
    explainer = OpenAI("bench", endpoint=Endpoint(base_url=url, concurrency=CONCURRENCY))
    await explainer.start()
    limit = asyncio.Semaphore(CONCURRENCY)

    async def one(question: Question) -> None:
        async with limit:
            reply = await explainer.ask(question)
        assert not reply.error, reply.error

    started = time.perf_counter()
    await asyncio.gather(*(one(question) for question in questions))
    seconds = time.perf_counter() - started
    await explainer.close()
    return seconds


def _inspect(url: str, questions: list[Question]) -> tuple[str, str, str]:
    """Return the row of the same job through inspect_ai, run by ``INSPECT_PYTHON`` or this Python."""
    name, target = "inspect_ai 0.3.285, the same job", "a comparison"
    python = os.environ.get("INSPECT_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "prompts.json"
        file.write_text(json.dumps([question.user for question in questions]), encoding="utf-8")
        script = Path(__file__).with_name("asking_inspect.py")
        done = subprocess.run(
            [python, str(script), url, str(file), str(CONCURRENCY)], capture_output=True, text=True, check=False
        )
    if "No module named 'inspect_ai'" in done.stderr:
        how = "not installed: pip install --group bench, or set INSPECT_PYTHON to a Python that has it"
        return name, how, target
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return name, f"failed: {lines[-1] if lines else done.returncode}", target
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    return name, f"{figures['seconds']:.2f} s, {figures['megabytes']:.0f} MB at most", target


def measure() -> list[tuple[str, str, str]]:
    """Return rows of what was measured, the figure, and the target."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    server.start()
    try:
        url = f"http://127.0.0.1:{here.recv()}/v1"
        questions = _questions()
        bodies = [
            json.dumps(
                {
                    "model": "bench",
                    "messages": [{"role": "user", "content": question.user}],
                    "response_format": {"json_schema": {"schema": dict(question.schema)}},
                }
            ).encode()
            for question in questions
        ]
        before = psutil.Process().memory_info().rss / 1e6
        bare = ours = math.inf
        for _ in range(ROUNDS):  # the better of several, in turn: another program's load hits one of them
            bare = min(bare, asyncio.run(_bare(f"{url}/chat/completions", bodies)))
            ours = min(ours, asyncio.run(_ours(url, questions)))
        after = psutil.Process().memory_info().rss / 1e6
        inspect = _inspect(url, questions)
    finally:
        server.kill()
        server.join()
    return [
        (f"bare aiohttp, {QUESTIONS:,} questions", f"{bare:.2f} s", "the reference"),
        ("our client", f"{ours:.2f} s = {bare / ours:.0%} of its rate", "90 %"),
        ("memory before and after", f"{before:.0f} MB, {after:.0f} MB", "flat"),
        inspect,
    ]
