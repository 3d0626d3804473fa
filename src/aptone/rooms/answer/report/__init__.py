"""Results of answers as tables and figures."""
