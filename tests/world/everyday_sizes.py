"""The everyday sizes of things in homes, as a person guesses them who has only the name: for a guesser of options.

Length, width and height in cm, the longer level side first. Written down without a look into the catalogue.
"""

EVERYDAY: dict[str, tuple[float, float, float]] = {
    "refrigerator": (70, 65, 175), "cabinet": (80, 40, 90), "dresser": (110, 48, 85), "safe": (40, 38, 40),
    "shelving unit": (90, 35, 170), "shelf": (80, 22, 3), "laundry hamper": (45, 35, 60), "box": (40, 30, 30),
    "garbage can": (35, 30, 50), "garbage bag": (45, 45, 60), "cart": (60, 45, 90), "dining table": (160, 90, 75),
    "coffee table": (110, 60, 45), "side table": (50, 45, 55), "desk": (130, 65, 75), "TV stand": (140, 42, 50),
    "kitchen counter": (180, 62, 91), "chair": (50, 46, 88), "armchair": (85, 82, 90), "sofa": (200, 90, 85),
    "stool": (36, 36, 55), "ottoman": (60, 50, 43), "footstool": (45, 35, 35), "bed": (200, 150, 90),
    "dog bed": (85, 65, 20), "toilet": (70, 38, 78), "bathtub": (170, 75, 58), "sink": (55, 45, 85),
    "mirror": (60, 3, 80), "towel rail": (60, 8, 6), "faucet": (18, 6, 25), "light switch": (8, 2, 8.5),
    "microwave": (50, 38, 30), "television": (110, 22, 68), "washing machine": (60, 60, 85),
    "clothes dryer": (60, 60, 85), "stove": (60, 62, 90), "vacuum cleaner": (35, 30, 110), "floor lamp": (40, 40, 160),
    "desk lamp": (30, 18, 45), "painting": (70, 3, 55), "poster": (50, 1, 70), "house plant": (45, 45, 80),
    "statue": (18, 15, 35), "mug": (12, 8.5, 9.5), "cup": (8, 8, 10), "bowl": (16, 16, 7), "plate": (26, 26, 2.5),
    "frying pan": (45, 27, 6), "cooking pot": (30, 22, 15), "bottle": (7.5, 7.5, 25), "wine bottle": (7.5, 7.5, 31),
    "vase": (15, 15, 26), "kettle": (22, 17, 23), "spoon": (19, 4, 2), "fork": (20, 2.8, 2), "knife": (25, 3, 1.5),
    "spatula": (32, 8, 3), "butter knife": (20, 2, 1), "ladle": (30, 9, 8), "salt shaker": (5, 5, 9),
    "pepper shaker": (5, 5, 9), "apple": (8, 8, 7.5), "tomato": (7.5, 7.5, 6), "potato": (10, 7, 6),
    "egg": (6, 4.4, 4.4), "loaf of bread": (28, 12, 11), "lettuce": (18, 17, 15), "book": (23, 15, 3),
    "pillow": (60, 42, 14), "newspaper": (38, 30, 1.5), "pen": (14, 1.1, 1.1), "pencil": (18, 0.8, 0.8),
    "bank card": (8.56, 5.4, 0.1), "teddy bear": (28, 25, 38), "watering can": (35, 15, 25), "dumbbell": (30, 13, 13),
    "basketball": (24, 24, 24), "boot": (29, 10, 30), "laptop": (34, 24, 2), "mobile phone": (15, 7.2, 0.9),
    "remote control": (18, 4.8, 2), "coffee machine": (35, 25, 35), "toaster": (30, 18, 19), "alarm clock": (11, 6, 11),
    "candle": (7, 7, 12), "roll of toilet paper": (11, 11, 10), "roll of paper towels": (12, 12, 24),
    "box of tissues": (23, 12, 9), "soap bottle": (7.5, 7, 18), "spray bottle": (11, 6.5, 26), "cloth": (25, 20, 3),
    "towel": (40, 30, 8), "hand towel": (35, 12, 6), "bar of soap": (9, 6, 3), "sponge": (11, 7, 3.5),
    "plunger": (15, 15, 50), "toilet brush": (11, 11, 40), "baseball bat": (84, 6.7, 6.7),
    "tennis racket": (68, 27, 3.5), "compact disc": (12, 12, 0.2), "bunch of keys": (9, 5, 1.5),
}  # fmt: skip
