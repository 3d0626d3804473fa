"""Database of a study: people, tasks, assignments, answers.

Unknown names raise `NotFoundError`, values that do not fit `NotAnAnswerError`. Methods that write return a future,
which raises in their place where the database has to be read first.
"""
