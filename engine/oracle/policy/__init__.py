"""Policies: read, evaluated, simulated, compared with the optimum; and changed models."""
