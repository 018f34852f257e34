"""The guided tour and the demonstration."""
