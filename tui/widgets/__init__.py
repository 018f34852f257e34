"""The widgets: values go in through reactives, messages come out."""
