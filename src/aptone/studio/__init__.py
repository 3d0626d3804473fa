"""The web room where people listen, annotate and are checked for agreement. `README.md` tells how it is laid out."""
