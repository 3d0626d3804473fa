"""Production report of a recorded book: lines worth recording again, consistency of voices, markers for editors."""
