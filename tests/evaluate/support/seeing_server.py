"""A chat-completions server that looks at what it is sent: it reads numbers, tells red from blue, and watches videos.

usage: seeing_server.py FOLDER [options]. It prints its port. One process stands for many services: the base URL is
http://127.0.0.1:PORT/NAME/OPTIONS/v1, with further options as one JSON list, percent-encoded. One JSON line a request
goes to FOLDER/NAME.jsonl: how many pictures it held, what was read on them, the text, the reply, the body's further
fields, and how many requests of that name were at work. Numbers are read by comparing what is white with drawings of
0 to 999. Any other question is answered A.

With --flat it hands all pictures to the model first and then all words, as vLLM does for chat templates that take a
string; the model then takes the second label for that of the second picture, or says that nothing follows it. Videos
are decoded with PyAV and read twice a second.
"""

import argparse
import base64
import hashlib
import io
import json
import re
import sys
import time
from argparse import Namespace
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from service import Answer, Received, Service, completion, data_of, error, parts_of

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--first", type=int, help="see so many pictures, the first ones, and drop the others")
parser.add_argument("--last", type=int, help="see so many pictures, the last ones, and drop the others")
parser.add_argument("--most", type=int, help="refuse requests with more pictures, with HTTP 400")
parser.add_argument("--blind", choices=["400", "404"], help="refuse all pictures with this status")
parser.add_argument("--broken-above", type=int, help="answer requests with more pictures with HTTP 500")
parser.add_argument("--no-credit-above", type=int, help="answer requests with more pictures with HTTP 402")
parser.add_argument("--tokens", type=int, default=300, help="input tokens of a picture")
parser.add_argument("--shrunk", type=int, help="input tokens of a picture where there are more than two")
parser.add_argument("--silent", action="store_true", help="report no tokens at all")
parser.add_argument("--cached", action="store_true", help="report cached tokens")
parser.add_argument("--net", action="store_true", help="leave the cached tokens out of the input tokens")
parser.add_argument("--reply", help="reply this to every question")
parser.add_argument("--reply-to-count", help="reply this when asked how many")
parser.add_argument("--think", choices=["block", "open"], help="think before the answer, or without an end")
parser.add_argument("--words", action="store_true", help="answer in sentences")
parser.add_argument("--log-probabilities", choices=["give", "refuse", "ignore"], default="give")
parser.add_argument("--flat", choices=["guess", "say"], help="put all pictures before all words")
parser.add_argument("--no-order", action="store_true", help="answer nothing that is asked about words between pictures")
TRUST = (
    "Per-request media_io_kwargs are disabled by default because they can change how media is fetched and decoded. "
    "Start the server with --trust-request-mm-kwargs to accept them."
)
KINDS = ["drop", "invent", "first", "half", "reverse", "ends", "refuse", "break", "one", "untimed", "field", "trust"]
parser.add_argument("--video", choices=KINDS)
parser.add_argument("--latency", type=float, default=0.0)
folder: Path = parser.parse_args().folder
working = Counter[str]()
cached: set[tuple[str, ...]] = set()

WIDTH, HEIGHT = 36, 20
NO_NUMBER = -1
FONTS = [ImageFont.load_default(size) for size in (40, 48)]  # both are needed to read every number right


def fitted(white: np.ndarray) -> np.ndarray:
    """What is white in a (height, width) array of 0 to 255, cut out and made 20 x 36, with mean 0 and length 1."""
    rows, columns = np.flatnonzero((white > 128).any(1)), np.flatnonzero((white > 128).any(0))
    cut = white[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    small = np.asarray(Image.fromarray(cut).resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR), float).ravel()
    small -= small.mean()
    return small / np.linalg.norm(small)


def drawing(number: int, font: ImageFont.FreeTypeFont) -> np.ndarray:
    page = Image.new("L", (120, 60))
    ImageDraw.Draw(page).text((5, 5), str(number), fill=255, font=font)
    return np.asarray(page)


DRAWINGS = np.stack([fitted(drawing(number, font)) for font in FONTS for number in range(1000)])


@cache
def look(data: bytes) -> tuple[int, str]:
    """The number and the colour of a picture."""
    return read(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))


@cache
def watch(data: bytes) -> list[tuple[float, int]]:
    """The seconds of frames of a video, half a second apart, and the number on each."""
    with av.open(io.BytesIO(data)) as container:
        frames = [(frame.time, frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]
    every = max(1, round(0.5 / (frames[1][0] - frames[0][0])))
    return [(time, read(pixels)[0]) for time, pixels in frames[::every]]


def timed(frames: list[bytes], body: dict, kind: str | None) -> list[tuple[float, int]]:
    """The seconds and numbers of a video of frames, as vLLM places them: at most 32 unless it is told more."""
    told = {} if kind == "untimed" else body.get("media_io_kwargs", {}).get("video", {})
    frames = frames[: told.get("num_frames", 32)]
    indices = told.get("frames_indices", range(len(frames)))
    assert len(indices) == len(frames) and told.get("total_num_frames", len(frames)) > max(indices)
    return [(index / told.get("fps", 1), look(frame)[0]) for index, frame in zip(indices, frames, strict=True)]


def read(pixels: np.ndarray) -> tuple[int, str]:
    """The number and the colour in RGB: white has green in it, red and blue have none."""
    red, _, blue = pixels[:2].reshape(-1, 3).mean(0)
    white = pixels[:, :, 1]
    number = int(np.argmax(DRAWINGS @ fitted(white))) % 1000 if white.max() > 128 and white.min() < 64 else NO_NUMBER
    return number, "red" if red > blue else "blue"


class Sight:
    """One service: what it replies to what it sees."""

    def __init__(self, options: Namespace) -> None:
        self.options = options

    def answer_to(
        self, text: str, seen: list[tuple[int, str]], videos: list[list[tuple[float, int]]], order: list[str | int]
    ) -> str:
        if self.options.reply is not None:
            return self.options.reply
        if "Its time is written before it" in text:
            number = int(re.search(r"shows the number (\d+)", text)[1])
            return re.search(r"\(([\d.]+) s\)", order[order.index(number) - 1])[1]
        if "after the words" in text:
            return self.after_words(text, order)
        if "video above" in text:
            return self.of_video(text, videos[0]) if videos else "I see no video"
        if "How many" in text:
            return self.options.reply_to_count or str(len(seen))
        if "capital letter A" in text:
            return "A"
        if not seen:
            return "I see no pictures"
        if "red or blue" in text:
            wanted = int(re.search(r"\d+", text)[0])
            return next((colour for number, colour in seen if number == wanted), "none of them")
        if "picture show" in text:
            return str(seen[0 if "first" in text else -1][0])
        return "A"

    def after_words(self, text: str, order: list[str | int]) -> str:
        """The number of the picture after the words that are asked about, in the order in which the model has all."""
        if self.options.no_order:
            return "123"
        label = re.search(r'after the words "(.*?)"', text)[1]
        if self.options.flat == "say":
            return "No picture stands after these words."
        if self.options.flat == "guess":
            pictures = [part for part in order if isinstance(part, int)]
            labels = re.findall(r"^Set \w:$", text, flags=re.MULTILINE)
            return str(pictures[min(labels.index(label), len(pictures) - 1)])
        place = next(i for i, part in enumerate(order) if isinstance(part, str) and part.strip().endswith(label))
        return str(next(part for part in order[place:] if isinstance(part, int)))

    def of_video(self, text: str, frames: list[tuple[float, int]]) -> str:
        numbers = [number for number, _ in groupby(number for _, number in frames)]
        if "How many seconds after" in text:
            wanted = int(re.search(r"the number (\d+)", text)[1])
            return f"{next(time for time, number in frames if number == wanted):.1f} seconds"
        if "How many" in text:
            return str(len(numbers))
        if "seconds after" in text:
            wanted = float(re.search(r"show ([\d.]+) seconds", text)[1])
            return str(min(frames, key=lambda frame: abs(frame[0] - wanted))[1])
        return str(numbers[0 if "first" in text else -1])

    def watched(self, videos: list[list[tuple[float, int]]]) -> list[list[tuple[float, int]]]:
        """What of videos the model sees, by what its service does to them."""
        kind = self.options.video
        if kind == "drop":
            return []
        if kind == "invent":
            return [[(0.0, 111), (1.0, 222), (2.0, 333)] for _ in videos]
        kept = {"first": slice(1), "half": slice(8), "reverse": slice(None, None, -1), "ends": slice(None, None, 15)}
        return [video[kept[kind]] if kind in kept else video for video in videos]

    def spoken(self, answer: str) -> str:
        if self.options.words:
            answer = f"Looking at 1 to 9 of them, I would say: **{answer}**."
        if self.options.think == "open":
            return f"<think>Is it 7, or {answer}"
        return f"<think>Is it 7, or red, or blue?</think>\n{answer}" if self.options.think else answer

    def seen(self, pictures: list[tuple[int, str]]) -> list[tuple[int, str]]:
        if self.options.first is not None:
            return pictures[: self.options.first]
        return pictures[-self.options.last :] if self.options.last is not None else pictures

    def refusal(self, body: dict, count: int, videos: int) -> Answer | None:
        options = self.options
        if videos > 1 and options.video == "one":
            return error(400, "At most 1 video(s) may be provided in one prompt.")
        if videos and options.video == "refuse":
            return error(400, "video_url is not supported")
        if "media_io_kwargs" in body and options.video == "trust":
            return error(400, TRUST)
        if "media_io_kwargs" in body and options.video == "field":
            return error(400, "unknown field: media_io_kwargs", param="media_io_kwargs", code="unknown_parameter")
        if videos and options.video == "break":
            return error(500, "list index out of range")
        if options.blind is not None and count:
            return error(int(options.blind), "this model takes text only")
        if options.most is not None and count > options.most:
            return error(400, f"At most {options.most} image(s) may be provided in one prompt.")
        if options.broken_above is not None and count > options.broken_above:
            return error(500, "out of memory")
        if options.no_credit_above is not None and count > options.no_credit_above:
            return error(402, "insufficient balance")
        if body.get("logprobs") and options.log_probabilities == "refuse":
            return error(400, "unknown field", param="logprobs", code="unsupported_parameter")
        return None

    def completion(self, body: dict, reply: str, seen: int, pictures: list[bytes], text: str, watched: int) -> dict:
        options = self.options
        cut = options.think == "open"
        each = options.shrunk if options.shrunk is not None and len(pictures) > 2 else options.tokens
        tokens = each * (seen + watched) + len(text) // 4, body["max_tokens"] if cut else 3
        told = completion(reply, tokens, finish="length" if cut else "stop")
        usage = told["usage"]
        if body.get("logprobs") and options.log_probabilities == "give":
            told["choices"][0]["logprobs"] = {"content": [{"token": reply[:1], "logprob": -0.1, "top_logprobs": []}]}
        if options.cached:
            prefix = tuple(hashlib.sha256(picture).hexdigest() for picture in pictures)
            with seeing.lock:
                hit = options.tokens * len(prefix) if prefix in cached else 0
                cached.add(prefix)
            usage["prompt_tokens_details"] = {"cached_tokens": hit}
            if options.net:
                usage["prompt_tokens"] -= hit
        if options.silent:
            del told["usage"]
        return told


class Seeing(Service):
    def take(self, request: Received) -> Answer:
        _, name, options, *rest = request.path.split("/")
        service = Sight(parser.parse_args([*sys.argv[1:], *map(str, json.loads(unquote(options)))]))
        with self.lock:
            working[name] += 1
            at_work = working[name]
        time.sleep(service.options.latency)
        found = rest == ["v1", "chat", "completions"]
        answer = self.answer(service, name, request.json, at_work) if found else error(404, "nothing is here")
        with self.lock:
            working[name] -= 1
        return answer

    def answer(self, service: Sight, name: str, body: dict, at_work: int) -> Answer:
        pictures, videos, texts, order, stands = [], [], [], [], []
        for part in parts_of(body):
            order.append(part["type"])
            if part["type"] == "text":
                texts.append(part["text"])
                stands.append(part["text"])
                continue
            head, _, url = part[part["type"]]["url"].partition(",")
            if head == "data:video/jpeg;base64":
                data = [base64.b64decode(one, validate=True) for one in url.split(",")]
                videos.append(timed(data, body, service.options.video))
            elif part["type"] == "video_url":
                videos.append(watch(data_of(part)))
            else:
                pictures.append(data_of(part))
            stands.append(videos[-1][0][1] if part["type"] == "video_url" else look(pictures[-1])[0])
        text, sent = "".join(texts), [look(picture) for picture in pictures]
        seen, watched = service.seen(sent), service.watched(videos)
        reply = service.spoken(service.answer_to(text, seen, watched, stands))
        fields = {key: value for key, value in body.items() if key != "messages"}
        line = {"pictures": len(pictures), "sent": sent, "text": text, "order": order, "reply": reply}
        line |= {"stands": stands, "videos": videos}
        with self.lock, (folder / f"{name}.jsonl").open("a") as log:
            log.write(json.dumps(line | {"fields": fields, "at_work": at_work}) + "\n")
        frames = sum(map(len, watched))
        return service.refusal(body, len(pictures), len(videos)) or Answer(
            service.completion(body, reply, len(seen), pictures, text, frames)
        )


seeing = Seeing()
seeing.run()
