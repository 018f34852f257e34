"""The taxonomy of questions: categories, difficulty, and the generation of test cases (methods.md 1.2, 1.3)."""
