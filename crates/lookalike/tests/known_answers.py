"""The known answers of docs/signature-format.md, computed by a second program that was written from that page.

Run it with `python3 crates/lookalike/tests/known_answers.py`. It does not find words itself: each text is listed here with its words.
The tests have the same texts and the answers that this program prints.
"""

M = (1 << 64) - 1
G = 0x9E3779B97F4A7C15


def mix64(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M
    return x ^ x >> 31


def split_mix(seed, count):
    return [mix64(seed + i * G & M) for i in range(1, count + 1)]


def spread(x):
    x = (x ^ x >> 32) * 0x082EFA98EC4E6C89 & M
    return x ^ x >> 29


def rotate32(x):
    return (x << 32 | x >> 32) & M


class Key:
    def __init__(self, seed):
        numbers = split_mix(seed, 261)
        self.a, self.b, self.r = numbers[0], numbers[1], numbers[2] | 1
        self.long = ([n | 1 for n in numbers[3:131]], numbers[131] | 1)
        self.shingles = ([n | 1 for n in numbers[132:260]], numbers[260] | 1)

    def piece(self, low, high, length):
        p = (low + self.a & M) * (high + self.b & M)
        return (p & M) + length + self.r * (p >> 64) & M

    @staticmethod
    def combine(values, length, levels):
        factors, n = levels
        level = 0
        while len(values) > 8:
            f = factors[8 * level : 8 * level + 8]
            blocks = [values[at : at + 8] for at in range(0, len(values) - 7, 8)]
            if len(values) % 8:
                blocks.append(values[-8:])
            values = [rotate32(sum(v * x for v, x in zip(block, f)) & M) for block in blocks]
            level += 1
        f = [1] + factors[8 * level + 1 : 8 * level + 8]
        return sum(v * x for v, x in zip(values, f)) + length * n & M

    def token(self, data):
        halves = lambda p: (int.from_bytes(p[:8], "little"), int.from_bytes(p[8:], "little"))
        if len(data) <= 16:
            return self.piece(*halves(data.ljust(16, b"\0")), len(data))
        pieces = [data[at : at + 16] for at in range(0, len(data) - 15, 16)]
        if len(data) % 16:
            pieces.append(data[-16:])
        values = [self.piece(*halves(p), 0) for p in pieces]
        return rotate32(self.combine(values, 2 * len(data) + 1, self.long))

    def shingles_of(self, tokens, k):
        windows = [tokens[at : at + k] for at in range(len(tokens) - k + 1)] or [tokens]
        return [spread(self.combine(w, len(w), self.shingles)) for w in windows]


FIXED = Key(0x243F6A8885A308D3)


def fast_sketch(elements, k, seed):
    elements = [mix64(x ^ mix64(seed)) for x in set(elements)]
    slots = [M] * k
    for r in range(2 * k):
        if r < k and M not in slots:
            break
        for y in elements:
            v = y + r * G & M
            z = y if r == 0 else (v ^ v >> 32) * 0xD6E8FEB86659FD93 & M
            p = z * k
            where, value = (p >> 64, (p & M) >> 13) if r < k else (r - k, z >> 13)
            slots[where] = min(slots[where], r << 51 | value)
    return slots


def kept(slot, position, bits):
    return mix64(slot ^ (position + 1) * G & M) & (1 << bits) - 1


def lanes(slots):
    return [kept(slot, at, 16) for at, slot in enumerate(slots)]


def band_key(band, words):
    h = (band + 1) * G & M
    for word in words:
        p = (h ^ word) * G
        h = (p >> 64) ^ (p & M)
    return mix64(h)


def words_of_lanes(values):
    return [sum(v << 16 * i for i, v in enumerate(values[at : at + 4])) for at in range(0, len(values), 4)]


def hyperloglog(elements, precision):
    registers = [0] * (1 << precision)
    for element in elements:
        rest, register = divmod(mix64(element + G & M), 1 << precision)
        registers[register] = max(registers[register], 64 - precision - rest.bit_length() + 1)
    return registers


# Text after normalisation, as words. The tests normalise the same texts and find the words.
TEXTS = {
    "hindi": "हिन्दी में लिखा हुआ एक छोटा वाक्य".split(),
    "thai": ["ภ", "า", "ษ", "า", "ไ", "ท", "ย", "ที่", "นี่"],
    "greek": ["ὀδυσσεύσ", "τῶι", "ὄφισ", "άι"],
    "emoji": ["i", "love", "3", "cats", "naïve"],
    "cjk": ["東", "京", "タ", "ワ", "ー", "は", "高", "い"],
}


def large_text():
    """10 MB and some: numbers below a million as words, drawn by split_mix(10)."""
    words, size, state = [], 0, 10
    while size < 10_000_000:
        state = state + G & M
        word = b"%d" % (mix64(state) * 1_000_000 >> 64)
        words.append(word)
        size += len(word) + 1
    return words


if __name__ == "__main__":
    say = lambda name, values: print(f"{name}: " + ", ".join(f"{v:#x}" for v in values))
    sketch = fast_sketch([1, 2, 3], 4, 42)
    say("sketch", sketch)
    say("lanes", lanes(sketch) + [kept(M, 0, 16), kept(M, 1, 16)])
    four = lanes(sketch)
    say("band keys of lanes", [band_key(0, words_of_lanes(four)), band_key(1, words_of_lanes(four)),
        band_key(0, words_of_lanes(four[:3])), band_key(20, words_of_lanes([1, 2, 3, 4, 5, 6])),
        band_key(13, words_of_lanes([65535] * 8)), band_key(0, [])])
    say("and of three bits", [band_key(0, [1, 1, 1]), band_key(0, [0, 1, 1])])
    say("HyperLogLog", hyperloglog(range(100), 4))
    for bits in (1, 2, 4, 8, 16):
        for count in (10, 9, 5):
            word = sum(kept(i, i, bits) << i * bits for i in range(count))
            if word < 1 << 64:
                say(f"{bits} bits of slots 0..{count}", [word])
    for name, words in TEXTS.items():
        tokens = [FIXED.token(word.encode()) for word in words]
        shingles = FIXED.shingles_of(tokens, 2)
        say(name, shingles[:2] + [sum(shingles) & M])
    words = large_text()
    shingles = FIXED.shingles_of([FIXED.token(word) for word in words], 5)
    say("10 MB", [len(words), len(shingles), sum(shingles) & M] + fast_sketch(shingles, 4, 1))
