"""What the programs that are measured by steps share.

Such a program is `steps_NAME.py DOCUMENTS.jsonl QUESTIONS.jsonl OUT [PORT]`. For each document it asks for documents
that look like it, and adds it if there is none; then it asks all questions. It writes the CPU time and the wall time of a
step and the CPU time of a question, in microseconds, and then for each document the line of the one that it duplicates, or
-1 if it was added.
"""

import sys
import time

import shared


def measure(ask, add):
    """`ask(text)` returns what is known of the text and the lines that look like it; `add(line, known)` adds it."""
    texts = list(shared.texts(sys.argv[1]))
    questions = list(shared.texts(sys.argv[2])) if sys.argv[2] else []
    answers = []
    cpu, wall = time.process_time(), time.perf_counter()
    for line, text in enumerate(texts):
        known, found = ask(text)
        if found:
            answers.append(min(found))
        else:
            add(line, known)
            answers.append(-1)
    step, step_wall = time.process_time() - cpu, time.perf_counter() - wall
    cpu = time.process_time()
    for text in questions:
        ask(text)
    query = time.process_time() - cpu
    micros = [1e6 * step / len(texts), 1e6 * step_wall / len(texts), 1e6 * query / max(len(questions), 1)]
    with open(sys.argv[3], "w", encoding="ascii") as out:
        out.write("\n".join(map(str, micros + answers)) + "\n")
