"""A session that writes without waiting for each answer, in a thread, until it is stopped or killed."""

import threading
import time

from .. import processes
from ..wire import Gone, Refused, Wire, structured
from .ledger import Ledger

DEPTH = 8
ANSWER_WITHIN_S = 15.0


class PipelinedWriter:
    """Keeps DEPTH stores in flight. Every request must be answered while the process lives: with success or not."""

    def __init__(self, wire: Wire, ledger: Ledger, at_most: int = 1_000_000) -> None:
        """Start to write `at_most` memories."""
        self.wire = wire
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self.unanswered = 0
        self._ledger = ledger
        self._left = at_most
        self._sent: dict[int, str] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="writer")
        self._thread.start()

    def stop(self) -> None:
        """Stop sending, and wait for the answers in flight."""
        self._stopping.set()
        self._thread.join()

    def kill(self) -> None:
        """Kill the process; answers that it had still given are recorded."""
        processes.kill(self.wire.process.pid)
        self._thread.join()
        self.wire.kill()

    def _work(self) -> None:
        give_up_at = float("inf")
        try:
            while True:
                while self._left and not self._stopping.is_set() and len(self._sent) < DEPTH:
                    self._left -= 1
                    text = self._ledger.new_text()
                    self._sent[self.wire.send_call("memory_store", content=text)] = text
                if self._stopping.is_set():
                    give_up_at = min(give_up_at, time.monotonic() + ANSWER_WITHIN_S)
                    if not self._sent or time.monotonic() > give_up_at:
                        break
                self._take_answers()
        except Gone:
            self._take_the_rest()
            return
        self.unanswered = len(self._sent)

    def _take_answers(self) -> int:
        answers = self.wire.arrived(0.1)
        for number, answer in answers.items():
            text = self._sent.pop(number, None)
            if text is None:
                continue
            try:
                id_ = structured(answer)["id"]
            except Refused as refusal:
                self.refused.append(str(refusal))
                if not self._stopping.is_set():
                    time.sleep(0.01)  # a client that is told to try again waits first
            else:
                self._ledger.acknowledged[id_] = text
                self.acknowledged.append(id_)
        return len(answers)

    def _take_the_rest(self) -> None:
        try:
            while self._take_answers():
                pass
        except Gone:
            return
