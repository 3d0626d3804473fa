"""Plots as SVG: geometry here, drawing in the templates."""
