"""The command line: argument parsing only. Each verb is a file, loaded when it is typed."""
