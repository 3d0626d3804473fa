"""Web studio for listening tests, annotation and rater agreement; `README.md` describes its layout."""
