"""Aptone: is it said the way its context asks for?"""
