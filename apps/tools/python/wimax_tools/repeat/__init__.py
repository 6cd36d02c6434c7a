"""Runs the command behind a result again and compares the figures."""
